import { createRoute } from '@hono/zod-openapi';
import { IdentityProviderKind } from '../../src/rules/access/identity-provider.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { setETag } from '../http/preconditions.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse } from '../http/views.ts';
import { identityProviderRef, readClientSecret } from './identity-provider.ts';
import { IdentityProviderView, ProviderParams, toIdentityProviderView } from './schemas.ts';

const route = createRoute({
  operationId: 'getIdentityProvider',
  method: 'get',
  path: '/v1/identity-providers/{provider}',
  tags: ['Access'],
  summary: 'Get an identity provider',
  description: 'Returns its settings, never the client secret. Requires a platform admin.',
  ...requireRole('platform-admin'),
  request: { params: ProviderParams },
  responses: { 200: jsonResponse('The identity provider', IdentityProviderView), ...problems(401, 403, 404) },
});

export function getIdentityProvider(app: App, { store, config }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { provider: name } = c.req.valid('param');
    const provider = await store.get(IdentityProviderKind, identityProviderRef(name));
    const hasClientSecret = (await readClientSecret(store, name)) !== undefined;
    setETag(c, provider.metadata.resourceVersion);
    return c.json(toIdentityProviderView(provider, config, hasClientSecret), 200);
  });
}
