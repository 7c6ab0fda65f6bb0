import { createRoute, z } from '@hono/zod-openapi';
import { IdentityProviderKind, IdentityProviderSpec } from '../../src/rules/access/identity-provider.ts';
import { NameLabel } from '../../src/rules/names.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { createOnce } from '../http/create-once.ts';
import { setETag } from '../http/preconditions.ts';
import { problems } from '../http/problem.ts';
import { body, jsonResponse } from '../http/views.ts';
import { identifyRequest } from '../temporal/idempotency.ts';
import { assertUsableProvider } from './assert-usable-provider.ts';
import { identityProviderRef, saveClientSecret } from './identity-provider.ts';
import { ClientSecret, IdentityProviderView, toIdentityProviderView } from './schemas.ts';

const route = createRoute({
  operationId: 'createIdentityProvider',
  method: 'post',
  path: '/v1/identity-providers',
  tags: ['Access'],
  summary: 'Add an identity provider',
  description:
    'Lets everyone with an account at an OpenID provider or at the code host sign in, as a user without a role. Before the service saves the provider, it reads its configuration, or verifies the credentials. Requires the browser session of a platform admin who signed in with a password.',
  ...requireRole('platform-admin', { credential: 'password-session' }),
  request: {
    body: body(
      z.strictObject({
        name: NameLabel.describe('Name of the identity provider, which is part of its redirect URL.'),
        spec: IdentityProviderSpec.describe('Settings of the identity provider.'),
        clientSecret: ClientSecret.optional(),
      }),
    ),
  },
  responses: {
    201: jsonResponse('The added identity provider', IdentityProviderView),
    ...problems(400, 401, 403, 409, 413, 415, 422),
  },
});

export function createIdentityProvider(app: App, deps: ApiDeps): void {
  const { store, config } = deps;
  app.openapi(route, async (c) => {
    const { name, spec, clientSecret } = c.req.valid('json');
    await assertUsableProvider(deps, { name, spec, clientSecret });
    const identity = identifyRequest(c, `createIdentityProvider ${name}`);
    const metadata = identityProviderRef(name);
    const created = await createOnce(store, { kind: IdentityProviderKind, identity }, { metadata, spec });
    await saveClientSecret(store, created, clientSecret);
    setETag(c, created.metadata.resourceVersion);
    c.header('Location', `/api/v1/identity-providers/${name}`);
    return c.json(toIdentityProviderView(created, config, clientSecret !== undefined), 201);
  });
}
