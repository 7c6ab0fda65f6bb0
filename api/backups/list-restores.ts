import { createRoute } from '@hono/zod-openapi';
import { RestoreKind } from '../../src/rules/backups/kinds.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import { requireRole } from '../auth/require-role.ts';
import type { App } from '../deps.ts';
import { listQuery, matchesListQuery } from '../http/list-query.ts';
import { readPage } from '../http/pagination.ts';
import { problems } from '../http/problem.ts';
import { respondCached } from '../http/respond-cached.ts';
import { jsonResponse, listSchema } from '../http/views.ts';
import { RestoreView, toRestoreView } from './schemas.ts';

const route = createRoute({
  operationId: 'listRestores',
  method: 'get',
  path: '/v1/backup/restores',
  tags: ['Backups'],
  summary: 'List restores',
  description: 'Requires a platform admin.',
  ...requireRole('platform-admin'),
  request: { query: listQuery('-createdAt') },
  responses: { 200: jsonResponse('A page of restores', listSchema(RestoreView)), ...problems(401, 403, 422) },
});

export function listRestores(app: App): void {
  app.openapi(route, async (c) => {
    return await respondCached(c, async (reads) => {
      const query = c.req.valid('query');
      const { items, ...page } = await readPage(c, reads, RestoreKind, {
        namespace: systemNamespace,
        query,
        matches: (restore) => matchesListQuery(restore, query),
      });
      return { items: items.map(toRestoreView), ...page };
    });
  });
}
