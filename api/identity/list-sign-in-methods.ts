import { createRoute, z } from '@hono/zod-openapi';
import { readPasswordSignIn } from '../../src/store/installation.ts';
import type { Store } from '../../src/store/store.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse } from '../http/views.ts';
import { listUsableProviders } from './identity-provider.ts';
import { cachedReads } from '../../src/store/cached-reads.ts';

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
  app.openapi(route, async (c) => {
    const password = await readPasswordSignIn(cachedReads(store), config.passwordSignIn);
    return c.json({ password, identityProviders: await listProviderLinks(store) }, 200);
  });
}

/** Lists the providers that a sign-in page offers. */
export const listProviderLinks = async (store: Store): Promise<{ name: string; label: string }[]> =>
  (await listUsableProviders(store)).map(({ metadata, spec }) => ({ name: metadata.name, label: spec.label }));
