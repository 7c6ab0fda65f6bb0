import { createRoute } from '@hono/zod-openapi';
import { IdentityProviderKind, IdentityProviderSpec } from '../../src/rules/access/identity-provider.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { assertCurrent, readRequiredPrecondition, requiresPrecondition, setETag } from '../http/preconditions.ts';
import { problems } from '../http/problem.ts';
import { replaceSpec } from '../http/replace-spec.ts';
import { body, jsonResponse, replacementBody } from '../http/views.ts';
import { assertSameIssuer, assertUsableProvider } from './assert-usable-provider.ts';
import { identityProviderRef, readClientSecret, saveClientSecret } from './identity-provider.ts';
import { ClientSecret, IdentityProviderView, ProviderParams, toIdentityProviderView } from './schemas.ts';

const route = createRoute({
  operationId: 'replaceIdentityProvider',
  method: 'put',
  path: '/v1/identity-providers/{provider}',
  tags: ['Access'],
  summary: 'Replace an identity provider',
  description:
    'The type and the issuer stay the same, and so does the client secret if the body has none. Before the service saves the provider, it reads its configuration. Requires the browser session of a platform admin who signed in with a password.',
  ...requireRole('platform-admin', { credential: 'password-session' }),
  ...requiresPrecondition,
  request: {
    params: ProviderParams,
    body: body(replacementBody(IdentityProviderSpec).extend({ clientSecret: ClientSecret.optional() })),
  },
  responses: {
    200: jsonResponse('The updated identity provider', IdentityProviderView),
    ...problems(400, 401, 403, 404, 409, 413, 415, 422),
  },
});

export function replaceIdentityProvider(app: App, deps: ApiDeps): void {
  const { store, config } = deps;
  app.openapi(route, async (c) => {
    const { provider: name } = c.req.valid('param');
    const { spec, clientSecret: newSecret, ...versions } = c.req.valid('json');
    const precondition = readRequiredPrecondition(c, versions);
    const ref = identityProviderRef(name);
    const current = await store.get(IdentityProviderKind, ref);
    assertCurrent(current, precondition);
    assertSameIssuer(current, spec);
    const clientSecret = newSecret ?? (await readClientSecret(store, name));
    await assertUsableProvider(deps, { name, spec, clientSecret });
    const replaced = await replaceSpec(store, IdentityProviderKind, { ref, spec, precondition });
    if (newSecret !== undefined) await saveClientSecret(store, replaced, newSecret);
    setETag(c, replaced.metadata.resourceVersion);
    return c.json(toIdentityProviderView(replaced, config, clientSecret !== undefined), 200);
  });
}
