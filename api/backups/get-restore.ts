import { createRoute } from '@hono/zod-openapi';
import { notFound } from '../../src/errors.ts';
import { RestoreKind } from '../../src/rules/backups/kinds.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse } from '../http/views.ts';
import { RestoreParams, RestoreView, toRestoreView } from './schemas.ts';

const route = createRoute({
  operationId: 'getRestore',
  method: 'get',
  path: '/v1/backup/restores/{restore}',
  tags: ['Backups'],
  summary: 'Get a restore',
  description: 'Shows the progress. Requires a platform admin.',
  ...requireRole('platform-admin'),
  request: { params: RestoreParams },
  responses: { 200: jsonResponse('The restore', RestoreView), ...problems(401, 403, 404) },
});

export function getRestore(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { restore: name } = c.req.valid('param');
    const restore = await store.find(RestoreKind, { namespace: systemNamespace, name });
    if (!restore) throw notFound('restore', name, 'the installation');
    return c.json(toRestoreView(restore), 200);
  });
}
