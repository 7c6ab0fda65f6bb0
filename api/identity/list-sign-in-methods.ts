import { createRoute, z } from '@hono/zod-openapi';
import { IdentityProviderKind } from '../../src/rules/access/identity-provider.ts';
import { isRejected } from '../../src/rules/conditions.ts';
import { isDeleting, systemNamespace } from '../../src/rules/resource.ts';
import { cachedReads } from '../../src/store/cached-reads.ts';
import type { Store } from '../../src/store/store.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse } from '../http/views.ts';

const SignInMethodsView = z
  .object({
    password: z
      .enum(['everyone', 'platform-admins'])
      .describe('Who can sign in with an e-mail address and a password.'),
    identityProviders: z
      .array(
        z.object({
          name: z.string().describe('Name of the identity provider, which `startProviderSignIn` takes.'),
          label: z.string().describe('Name to show to people.'),
        }),
      )
      .describe('Identity providers to sign in through.'),
  })
  .openapi('SignInMethods');

const route = createRoute({
  operationId: 'listSignInMethods',
  method: 'get',
  path: '/v1/auth/methods',
  tags: ['Access'],
  summary: 'List the ways to sign in',
  description: 'Returns what a sign-in page has to offer. Needs no credentials.',
  ...requireRole('anyone'),
  responses: { 200: jsonResponse('The ways to sign in', SignInMethodsView), ...problems() },
});

export function listSignInMethods(app: App, { store, config }: ApiDeps): void {
  app.openapi(route, async (c) =>
    c.json({ password: config.passwordSignIn, identityProviders: await listProviderLinks(store) }, 200),
  );
}

/** Lists the providers that people can sign in through. */
export async function listProviderLinks(store: Store): Promise<{ name: string; label: string }[]> {
  const { items } = await cachedReads(store).list(IdentityProviderKind, { namespace: systemNamespace });
  return items
    .filter((provider) => !isDeleting(provider) && !isRejected(provider))
    .map(({ metadata, spec }) => ({ name: metadata.name, label: spec.label }));
}
