import { createRoute } from '@hono/zod-openapi';
import { ModelProvider } from '../../src/rules/agents/model-provider.ts';
import { getOrganization } from '../catalog/org.ts';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { ifMatch, refuseStale, tagged } from '../read-page.ts';
import { answer, body, OrgParams } from '../views.ts';
import {
  findModelProvider,
  keepModelProvider,
  ModelProviderView,
  modelProviderView,
  withKeptSecrets,
} from './model-provider.ts';

const route = createRoute({
  operationId: 'putModelProvider',
  method: 'put',
  path: '/v1/orgs/{org}/model-provider',
  tags: ['Agents'],
  summary: 'Name the provider of an org’s models; it is asked something tiny before it is saved',
  ...needs('org-admin'),
  request: { params: OrgParams, body: body(ModelProvider) },
  responses: {
    200: answer('The provider, without its key', ModelProviderView),
    ...problems(400, 401, 403, 404, 409, 413, 415, 422, 503),
  },
});

export function putModelProvider(app: App, deps: ApiDeps): void {
  const { store, models } = deps;
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    await getOrganization(store, org);
    const before = await findModelProvider(store, org);
    if (before) refuseStale(before, { resourceVersion: ifMatch(c) });
    const provider = withKeptSecrets(c.req.valid('json'), before);
    await models.check(provider);
    const secret = await keepModelProvider(store, org, provider);
    tagged(c, secret.metadata.resourceVersion);
    return c.json(modelProviderView(secret, deps, { org, role: c.get('role') }), 200);
  });
}
