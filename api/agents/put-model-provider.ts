import { createRoute } from '@hono/zod-openapi';
import { ModelProvider } from '../../src/rules/agents/model-provider.ts';
import { getOrganization } from '../orgs/org.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { acceptsPreconditions, assertCurrent, readPrecondition, setETag } from '../http/preconditions.ts';
import { jsonResponse, body, OrgParams } from '../http/views.ts';
import {
  findModelProvider,
  saveModelProvider,
  ModelProviderView,
  toModelProviderView,
  mergeStoredSecrets,
} from './model-provider.ts';

const route = createRoute({
  operationId: 'putModelProvider',
  method: 'put',
  path: '/v1/orgs/{org}/model-provider',
  tags: ['Agents'],
  summary: 'Set the model provider of an org',
  description:
    'The provider is verified with a test request before it is saved. Keys may be omitted if they are stored for the same kind and base URL.',
  ...requireRole('org-admin'),
  ...acceptsPreconditions,
  request: { params: OrgParams, body: body(ModelProvider) },
  responses: {
    200: jsonResponse('The provider, without its key', ModelProviderView),
    ...problems(400, 401, 403, 404, 409, 413, 415, 422),
  },
});

export function putModelProvider(app: App, deps: ApiDeps): void {
  const { store, models } = deps;
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    await getOrganization(store, org);
    const before = await findModelProvider(store, org);
    assertCurrent(before, readPrecondition(c));
    const provider = mergeStoredSecrets(c.req.valid('json'), before);
    await models.verifyProvider(provider);
    const secret = await saveModelProvider(store, { org, provider, before });
    setETag(c, secret.metadata.resourceVersion);
    return c.json(toModelProviderView(secret, deps, { org, role: c.get('role') }), 200);
  });
}
