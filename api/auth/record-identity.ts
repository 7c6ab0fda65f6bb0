import type { SignedInIdentity } from '../../src/integrations/identity/identity-providers.ts';
import type { IdentityProvider } from '../../src/rules/access/identity-provider.ts';
import { type User, UserKind, type UserIdentity } from '../../src/rules/access/kinds.ts';
import type { ApiDeps } from '../deps.ts';
import { deleteRefreshToken, saveRefreshToken } from './refresh-tokens.ts';

type SignIn = { user: User; provider: IdentityProvider; identity: SignedInIdentity };

/** Records what the provider said about the user at a sign-in. */
export async function recordIdentity(
  { store, now }: Pick<ApiDeps, 'store' | 'now'>,
  { user, provider: { metadata }, identity: { groups, refreshToken } }: SignIn,
): Promise<User> {
  const owner = { user, provider: metadata.name };
  // The token is saved first: without it, the recorded groups could not be asked for again.
  if (refreshToken === undefined) await deleteRefreshToken(store, owner);
  else await saveRefreshToken(store, owner, refreshToken);
  const recorded: UserIdentity = {
    provider: metadata.name,
    providerUid: metadata.uid,
    groups,
    renewable: refreshToken !== undefined,
    checkedAt: now().toISOString(),
  };
  return await store.updateStatus(UserKind, user.metadata, ({ status }) => ({
    ...status,
    identities: [...(status?.identities ?? []).filter(({ provider }) => provider !== metadata.name), recorded],
  }));
}
