import type { ProviderClient } from '../../src/integrations/identity/identity-providers.ts';
import { ignoreNotFound } from '../../src/errors.ts';
import { readSecretText, type Secret, SecretKind, toSecretData } from '../../src/kinds/kubernetes.ts';
import {
  getProviderType,
  type IdentityProvider,
  IdentityProviderKind,
} from '../../src/rules/access/identity-provider.ts';
import { isRejected } from '../../src/rules/conditions.ts';
import { isDeleting, ownerReference, systemNamespace } from '../../src/rules/resource.ts';
import { cachedReads } from '../../src/store/cached-reads.ts';
import type { Store } from '../../src/store/store.ts';
import type { ApiDeps } from '../deps.ts';

const secretKey = 'client-secret';

export const identityProviderRef = (name: string) => ({ namespace: systemNamespace, name });
const secretRef = (name: string) => ({ namespace: systemNamespace, name: `identity-provider-${name}` });

/** The path is one of each provider, so that the response of one provider cannot be taken for that of another. */
export const redirectUri = ({ publicUrl }: Pick<ApiDeps['config'], 'publicUrl'>, name: string): string =>
  new URL(`/api/v1/auth/providers/${name}/callback`, publicUrl).href;

const canSignIn = (provider: IdentityProvider): boolean => !isDeleting(provider) && !isRejected(provider);

/** Finds a provider that people can sign in through. */
export async function findIdentityProvider(store: Store, name: string): Promise<IdentityProvider | undefined> {
  const found = await store.find(IdentityProviderKind, identityProviderRef(name));
  return found && canSignIn(found) ? found : undefined;
}

/** Lists the providers that people can sign in through. */
export async function listUsableProviders(store: Store): Promise<IdentityProvider[]> {
  const { items } = await cachedReads(store).list(IdentityProviderKind, { namespace: systemNamespace });
  return items.filter(canSignIn);
}

export const readClientSecret = async (store: Store, name: string): Promise<string | undefined> =>
  readSecretText(await store.find(SecretKind, secretRef(name)), secretKey);

/** Saves the client secret, which the provider owns, and replaces or deletes an earlier one, which another issuer may have. */
export async function saveClientSecret(
  store: Store,
  provider: IdentityProvider,
  clientSecret: string | undefined,
): Promise<void> {
  const { name } = provider.metadata;
  if (clientSecret === undefined) return await store.delete(SecretKind, secretRef(name)).catch(ignoreNotFound);
  const data = toSecretData({ [secretKey]: clientSecret });
  const metadata = { ...secretRef(name), ownerReferences: [ownerReference(provider)] };
  const existing: Secret | undefined = await store.find(SecretKind, metadata);
  if (existing) await store.replace(SecretKind, { ...existing, metadata: { ...existing.metadata, ...metadata }, data });
  else await store.create(SecretKind, { metadata, type: 'Opaque', data });
}

export function toProviderClient(
  { publicUrl }: Pick<ApiDeps['config'], 'publicUrl'>,
  { metadata, spec }: Pick<IdentityProvider, 'spec'> & { metadata: { name: string } },
  clientSecret: string | undefined,
): ProviderClient {
  const { issuer, clientId, scopes, groupsClaim = 'groups', organizations } = spec;
  const registration = { issuer, clientId, clientSecret, redirectUri: redirectUri({ publicUrl }, metadata.name) };
  return getProviderType(spec) === 'github'
    ? { type: 'github', ...registration, organizations }
    : { type: 'openid', ...registration, scopes, groupsClaim };
}
