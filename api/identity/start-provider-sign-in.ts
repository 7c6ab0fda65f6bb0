import { createRoute, z } from '@hono/zod-openapi';
import { invalid, notFound } from '../../src/errors.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { toOwnUrl } from '../http/own-url.ts';
import { problemsOrPages } from '../http/problem-page.ts';
import { findIdentityProvider, readClientSecret, toProviderClient } from './identity-provider.ts';
import { ProviderParams } from './schemas.ts';
import { rememberSignIn } from './sign-in-cookie.ts';

const route = createRoute({
  operationId: 'startProviderSignIn',
  method: 'get',
  path: '/v1/auth/providers/{provider}/start',
  tags: ['Access'],
  summary: 'Start signing in through an identity provider',
  description:
    'Redirects the browser to the provider, which redirects it to `finishProviderSignIn`. Only this browser can complete the sign-in, within ten minutes.',
  ...requireRole('anyone'),
  request: {
    params: ProviderParams,
    query: z.strictObject({
      to: z
        .string()
        .max(2000)
        .optional()
        .describe('Path of this installation to open after the sign-in. Defaults to the home page.'),
    }),
  },
  responses: { 303: { description: 'Redirect to the provider' }, ...problemsOrPages(404, 422) },
});

export function startProviderSignIn(app: App, deps: ApiDeps): void {
  const { store, config, identityProviders } = deps;
  app.openapi(route, async (c) => {
    const { provider: name } = c.req.valid('param');
    const { to = '/' } = c.req.valid('query');
    if (!toOwnUrl(to, config.publicUrl))
      throw invalid('The page to open after the sign-in must be a path of this installation.', [
        { pointer: '?to', detail: 'must be a path, such as /acme' },
      ]);
    const provider = await findIdentityProvider(store, name);
    if (!provider) throw notFound('identity provider', name, 'this installation');
    const clientSecret = await readClientSecret(store, name);
    const { url, checks } = await identityProviders.startSignIn(toProviderClient(config, provider, clientSecret));
    rememberSignIn(c, deps, { provider: name, providerUid: provider.metadata.uid, ...checks, to });
    c.header('Cache-Control', 'no-store');
    return c.redirect(url, 303);
  });
}
