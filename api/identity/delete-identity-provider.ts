import { createRoute } from '@hono/zod-openapi';
import { ignoreNotFound } from '../../src/errors.ts';
import { ApiTokenKind } from '../../src/rules/access/kinds.ts';
import { type IdentityProvider, IdentityProviderKind } from '../../src/rules/access/identity-provider.ts';
import { SecretKind } from '../../src/kinds/kubernetes.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import { refreshTokenLabels } from '../auth/refresh-tokens.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { acceptsPreconditions, deleteIfCurrent, readPrecondition } from '../http/preconditions.ts';
import { problems } from '../http/problem.ts';
import { identityProviderRef } from './identity-provider.ts';
import { ProviderParams } from './schemas.ts';

const route = createRoute({
  operationId: 'deleteIdentityProvider',
  method: 'delete',
  path: '/v1/identity-providers/{provider}',
  tags: ['Access'],
  summary: 'Remove an identity provider',
  description:
    'Ends the sessions that began at the provider, revokes the API tokens that were created in them, and ends the roles that its groups gave. The users stay; those without a password sign in again once a provider with the same issuer is added. Requires the browser session of a platform admin who signed in with a password.',
  ...requireRole('platform-admin', { credential: 'password-session' }),
  ...acceptsPreconditions,
  request: { params: ProviderParams },
  responses: { 204: { description: 'The identity provider is removed' }, ...problems(401, 403, 404, 409) },
});

export function deleteIdentityProvider(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const ref = identityProviderRef(c.req.valid('param').provider);
    const provider = await store.get(IdentityProviderKind, ref);
    await deleteIfCurrent(store, IdentityProviderKind, { ref, precondition: readPrecondition(c) });
    await deleteDependents(store, provider);
    return c.body(null, 204);
  });
}

/** They are no longer accepted; until they are deleted, they only take up space. */
async function deleteDependents(store: Store, { metadata: { name, uid } }: IdentityProvider): Promise<void> {
  const namespace = systemNamespace;
  const credentials = await store.list(ApiTokenKind, { namespace });
  const ended = credentials.items.filter(({ spec }) => spec.identityProvider?.uid === uid);
  for (const { metadata } of ended) await store.delete(ApiTokenKind, metadata).catch(ignoreNotFound);
  const { items: tokens } = await store.list(SecretKind, { namespace, labels: refreshTokenLabels(name) });
  for (const { metadata } of tokens) await store.delete(SecretKind, metadata).catch(ignoreNotFound);
}
