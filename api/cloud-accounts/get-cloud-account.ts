import { createRoute } from '@hono/zod-openapi';
import { CloudAccountKind } from '../../src/rules/cloud-accounts/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { setETag } from '../http/preconditions.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, NamedParams } from '../http/views.ts';
import { CloudAccountView, toCloudAccountView } from './schemas.ts';

const route = createRoute({
  operationId: 'getCloudAccount',
  method: 'get',
  path: '/v1/orgs/{org}/cloud-accounts/{name}',
  tags: ['Cloud accounts'],
  summary: 'Get a cloud account of an org',
  description: 'Returns the settings and the result of the last check.',
  ...requireRole('org-admin'),
  request: { params: NamedParams },
  responses: { 200: jsonResponse('The cloud account', CloudAccountView), ...problems(401, 403, 404) },
});

export function getCloudAccount(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org, name } = c.req.valid('param');
    const account = await store.get(CloudAccountKind, { namespace: orgNamespace(org), name });
    setETag(c, account.metadata.resourceVersion);
    return c.json(toCloudAccountView(account, c.get('role')), 200);
  });
}
