import { createRoute, z } from '@hono/zod-openapi';
import { BackupKind, BackupName } from '../../src/rules/backups/kinds.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse } from '../http/views.ts';

const ArchiveView = z
  .object({ name: z.string().describe('Name of the backup that wrote the archive.') })
  .openapi('BackupArchive');

const route = createRoute({
  operationId: 'listArchives',
  method: 'get',
  path: '/v1/backup/archives',
  tags: ['Backups'],
  summary: 'List the archives in the destination',
  description:
    'Lists what can be restored, newest first: also archives of other installations with the same destination. Archives of backups that are running or were interrupted are left out. Requires a platform admin.',
  ...requireRole('platform-admin'),
  responses: {
    200: jsonResponse('The archives', z.object({ items: z.array(ArchiveView).describe('The archives.') })),
    ...problems(401, 403),
  },
});

export function listArchives(app: App, { store, backups }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const keys = await backups.list('backup-');
    const names = new Set(keys.map((key) => key.slice(0, key.indexOf('/'))));
    const own = await store.list(BackupKind, { namespace: systemNamespace });
    const incomplete = own.items.filter(({ status }) => status?.sha256 === undefined);
    for (const { metadata } of incomplete) names.delete(metadata.name);
    const items = [...names]
      .filter((name) => BackupName.safeParse(name).success)
      .toSorted()
      .toReversed();
    return c.json({ items: items.map((name) => ({ name })) }, 200);
  });
}
