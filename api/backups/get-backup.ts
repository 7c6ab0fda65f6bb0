import { createRoute } from '@hono/zod-openapi';
import { notFound } from '../../src/errors.ts';
import { BackupKind } from '../../src/rules/backups/kinds.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse } from '../http/views.ts';
import { BackupParams, BackupView, toBackupView } from './schemas.ts';

const route = createRoute({
  operationId: 'getBackup',
  method: 'get',
  path: '/v1/backup/backups/{backup}',
  tags: ['Backups'],
  summary: 'Get a backup',
  description: 'Shows the progress. Requires a platform admin.',
  ...requireRole('platform-admin'),
  request: { params: BackupParams },
  responses: { 200: jsonResponse('The backup', BackupView), ...problems(401, 403, 404) },
});

export function getBackup(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { backup: name } = c.req.valid('param');
    const backup = await store.find(BackupKind, { namespace: systemNamespace, name });
    if (!backup) throw notFound('backup', name, 'the installation');
    return c.json(toBackupView(backup), 200);
  });
}
