import { isServiceError, ServiceError } from '../../src/errors.ts';
import { UserKind, type User } from '../../src/rules/access/kinds.ts';
import { ConfigMapKind } from '../../src/rules/core-kinds.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import { createUserWithPassword, userName, type NewUserBody } from '../access/passwords.ts';

/** Names the one user that setup made: creating it decides between two set-ups at once. */
const claim = { namespace: systemNamespace, name: 'root-user' };

export async function findRootUser(store: Store): Promise<User | undefined> {
  const claimed = (await store.find(ConfigMapKind, claim))?.data?.['user'];
  return claimed === undefined ? undefined : store.find(UserKind, { namespace: systemNamespace, name: claimed });
}

export async function makeRootUser(store: Store, credentials: NewUserBody): Promise<User> {
  const user = userName(credentials.email);
  await store.create(ConfigMapKind, { metadata: claim, data: { user } }).catch(async (error: unknown) => {
    if (!isServiceError(error, 'conflict')) throw error;
    // A set-up that broke off after its claim goes on when it is tried again, with the same address.
    const claimed = (await store.get(ConfigMapKind, claim)).data?.['user'];
    if (claimed !== user) throw new ServiceError('conflict', 'The root user exists already. Sign in as that user.');
  });
  return createUserWithPassword(store, credentials, true);
}
