import { createRoute, z } from '@hono/zod-openapi';
import { notFound, ServiceError } from '../../src/errors.ts';
import { identityViolation } from '../../src/rules/access/identity-violation.ts';
import { assertUserAccepted } from '../auth/assert-user-accepted.ts';
import { requireRole } from '../auth/require-role.ts';
import { createSession } from '../auth/start-session.ts';
import { recordIdentity } from '../auth/record-identity.ts';
import type { ApiDeps, App } from '../deps.ts';
import { toOwnUrl } from '../http/own-url.ts';
import { problemsOrPages } from '../http/problem-page.ts';
import { findOrCreateUser } from './find-or-create-user.ts';
import { findIdentityProvider, readClientSecret, toProviderClient } from './identity-provider.ts';
import { ProviderParams } from './schemas.ts';
import { takeSignIn } from './sign-in-cookie.ts';

const text = z.string().max(4000).optional();

const route = createRoute({
  operationId: 'finishProviderSignIn',
  method: 'get',
  path: '/v1/auth/providers/{provider}/callback',
  tags: ['Access'],
  summary: 'Complete a sign-in through an identity provider',
  description:
    'The provider redirects the browser here. Starts a session of the user with this identity, who is created if no user has the e-mail address. Fails with 403 if the address is not verified, not allowed, or belongs to a user with another sign-in method.',
  ...requireRole('anyone'),
  request: {
    params: ProviderParams,
    // The provider may add parameters of its own.
    query: z.looseObject({
      code: text.describe('Code of the provider, which is exchanged for the identity.'),
      state: text.describe('Value that binds the response to the browser that started.'),
      iss: text.describe('Issuer of the response.'),
      error: text.describe('Why the provider did not sign the person in.'),
    }),
  },
  responses: {
    303: { description: 'Redirect to the page that was asked for' },
    ...problemsOrPages(401, 403, 404, 429),
  },
});

export function finishProviderSignIn(app: App, deps: ApiDeps): void {
  const { store, config, identityProviders, now } = deps;
  app.openapi(route, async (c) => {
    const { provider: name } = c.req.valid('param');
    c.header('Cache-Control', 'no-store');
    const { throttle, clientAddress } = c.get('signInGuards');
    const provider = await findIdentityProvider(store, name);
    if (!provider) throw notFound('identity provider', name, 'this installation');
    const { to, ...checks } = takeSignIn(c, deps, { name, uid: provider.metadata.uid });
    throttle.countProviderSignIn(clientAddress(c), now().getTime());
    const client = toProviderClient(config, provider, await readClientSecret(store, name));
    const query = new URL(c.req.url).search;
    const identity = await identityProviders.finishSignIn(client, { query, checks });
    const violation = identityViolation(provider.spec, identity);
    if (violation !== undefined) throw new ServiceError('identity-not-allowed', violation);
    const found = await findOrCreateUser(store, provider, identity);
    assertUserAccepted(found);
    const user = await recordIdentity(deps, { user: found, provider, identity });
    await createSession(c, deps, { user, provider });
    throttle.forgetProviderSignIn(clientAddress(c));
    return c.redirect((toOwnUrl(to, config.publicUrl) ?? new URL(config.publicUrl)).href, 303);
  });
}
