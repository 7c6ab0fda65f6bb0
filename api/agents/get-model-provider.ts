import { createRoute } from '@hono/zod-openapi';
import { getOrganization } from '../orgs/org.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { setETag } from '../http/preconditions.ts';
import { jsonResponse, OrgParams } from '../http/views.ts';
import { findModelProvider, ModelProviderView, toModelProviderView } from './model-provider.ts';

const route = createRoute({
  operationId: 'getModelProvider',
  method: 'get',
  path: '/v1/orgs/{org}/model-provider',
  tags: ['Agents'],
  summary: 'Get the model provider of an org',
  description: 'Returns the provider of the installation if the org has none of its own. Keys are never returned.',
  ...requireRole('viewer'),
  request: { params: OrgParams },
  responses: { 200: jsonResponse('The provider, without its key', ModelProviderView), ...problems(401, 403, 404) },
});

export function getModelProvider(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    await getOrganization(deps.store, org);
    const secret = await findModelProvider(deps.store, org);
    if (secret) setETag(c, secret.metadata.resourceVersion);
    return c.json(toModelProviderView(secret, deps, { org, role: c.get('role') }), 200);
  });
}
