import { isServiceError, ServiceError } from '../../src/errors.ts';
import { identityLabel } from '../../src/rules/access/identity-label.ts';
import type { IdentityProvider } from '../../src/rules/access/identity-provider.ts';
import type { Identity } from '../../src/rules/access/identity-violation.ts';
import { type User, UserKind } from '../../src/rules/access/kinds.ts';
import { userName } from '../../src/rules/access/user-name.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import { deleteLeftoverPassword } from '../auth/passwords.ts';

type Key = { issuer: string; subject: string };

/**
 * Finds the user by issuer and subject, never by the address: another provider, or the next owner of an address, could
 * otherwise take over the account. A person whom no user stands for becomes a user without a password.
 */
export async function findOrCreateUser(
  store: Store,
  { spec: { label, issuer } }: IdentityProvider,
  { subject, email = '' }: Pick<Identity, 'subject' | 'email'>,
): Promise<User> {
  const key = { issuer, subject };
  const known = await findUserByIdentity(store, key);
  if (known) return known;
  // A password that an earlier holder of the address left would open the account of this person.
  await deleteLeftoverPassword(store, email);
  try {
    return await store.create(UserKind, {
      metadata: { namespace: systemNamespace, name: userName(email), labels: identityLabel(key) },
      spec: { email: email.toLowerCase(), platformAdmin: false, identities: [key] },
    });
  } catch (error) {
    if (!isServiceError(error, 'conflict')) throw error;
    // The same person may have completed a sign-in in another tab at the same time.
    const created = await findUserByIdentity(store, key);
    if (created) return created;
    throw new ServiceError(
      'identity-not-linked',
      `The address ${email} belongs to a user who does not sign in through ${label}. Use the sign-in method of that user, or ask a platform admin.`,
    );
  }
}

async function findUserByIdentity(store: Store, key: Key): Promise<User | undefined> {
  const { items } = await store.list(UserKind, { namespace: systemNamespace, labels: identityLabel(key) });
  return items.find(({ spec }) =>
    spec.identities?.some(({ issuer, subject }) => issuer === key.issuer && subject === key.subject),
  );
}
