import { createRoute } from '@hono/zod-openapi';
import { getOrganization } from '../catalog/org.ts';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { tagged } from '../read-page.ts';
import { answer, OrgParams } from '../views.ts';
import { findModelProvider, ModelProviderView, modelProviderView } from './model-provider.ts';

const route = createRoute({
  operationId: 'getModelProvider',
  method: 'get',
  path: '/v1/orgs/{org}/model-provider',
  tags: ['Agents'],
  summary: 'Who answers the agents of an org',
  ...needs('viewer'),
  request: { params: OrgParams },
  responses: { 200: answer('The provider, without its key', ModelProviderView), ...problems(401, 403, 404) },
});

export function getModelProvider(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    await getOrganization(deps.store, org);
    const secret = await findModelProvider(deps.store, org);
    if (secret) tagged(c, secret.metadata.resourceVersion);
    return c.json(modelProviderView(secret, deps, { org, role: c.get('role') }), 200);
  });
}
