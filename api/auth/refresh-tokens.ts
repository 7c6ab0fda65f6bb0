import { hash } from 'node:crypto';
import { ignoreNotFound, isServiceError } from '../../src/errors.ts';
import { readSecretText, type Secret, SecretKind, toSecretData } from '../../src/kinds/kubernetes.ts';
import type { User } from '../../src/rules/access/kinds.ts';
import { ownerReference, systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';

type Owner = { user: User; provider: string };
const key = 'refresh-token';

/** The labels of the refresh tokens of a provider. */
export const refreshTokenLabels = (provider: string) => ({ 'service.delivery/refresh-token-of': provider });

const refreshTokenRef = ({ user, provider }: Owner) => ({
  namespace: systemNamespace,
  name: `refresh-token-${hash('sha256', `${provider} ${user.metadata.name}`).slice(0, 40)}`,
});

export const findRefreshToken = async (store: Store, owner: Owner): Promise<Secret | undefined> =>
  await store.find(SecretKind, refreshTokenRef(owner));

export const readRefreshToken = (secret: Secret | undefined): string | undefined => readSecretText(secret, key);

/** Saves the refresh token of a sign-in, which the user owns, and replaces an earlier one. */
export async function saveRefreshToken(store: Store, owner: Owner, token: string): Promise<void> {
  const data = toSecretData({ [key]: token });
  const ownerReferences = [ownerReference(owner.user)];
  await store.put(SecretKind, {
    metadata: { ...refreshTokenRef(owner), labels: refreshTokenLabels(owner.provider), ownerReferences },
    type: 'Opaque',
    data,
  });
}

/** Saves the token that the provider issued for the one that was read, and returns it, unless a sign-in has replaced it since. */
export async function rotateRefreshToken(store: Store, read: Secret, token: string): Promise<Secret | undefined> {
  try {
    return await store.replace(SecretKind, { ...read, data: toSecretData({ [key]: token }) });
  } catch (error) {
    if (!isServiceError(error, 'conflict') && !isServiceError(error, 'not-found')) throw error;
    return undefined;
  }
}

export const deleteRefreshToken = async (store: Store, owner: Owner): Promise<void> =>
  await store.delete(SecretKind, refreshTokenRef(owner)).catch(ignoreNotFound);
