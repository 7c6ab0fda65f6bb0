import { isServiceError, ServiceError } from '../../src/errors.ts';
import { UserKind, type User } from '../../src/rules/access/kinds.ts';
import { ConfigMapKind } from '../../src/kinds/kubernetes.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import type { NewUserBody } from '../access/schemas.ts';
import type { PasswordHasher } from '../auth/password-hasher.ts';
import { userName } from '../../src/rules/access/user-name.ts';
import { createUserWithPassword } from '../auth/passwords.ts';

/** Holds the name of the root user; its creation decides which of two concurrent requests wins. */
const rootUserRef = { namespace: systemNamespace, name: 'root-user' };

export async function findRootUser(store: Store): Promise<User | undefined> {
  const name = (await store.find(ConfigMapKind, rootUserRef))?.data?.['user'];
  return name === undefined ? undefined : store.find(UserKind, { namespace: systemNamespace, name });
}

export async function registerRootUser(
  { store, hasher }: { store: Store; hasher: PasswordHasher },
  credentials: NewUserBody,
): Promise<User> {
  const user = userName(credentials.email);
  await store.create(ConfigMapKind, { metadata: rootUserRef, data: { user } }).catch(async (error: unknown) => {
    if (!isServiceError(error, 'conflict')) throw error;
    // A request that failed after this point completes when it is repeated with the same address.
    const registered = (await store.get(ConfigMapKind, rootUserRef)).data?.['user'];
    if (registered === user) return;
    const isComplete = (await findRootUser(store)) !== undefined;
    throw new ServiceError(
      'already-exists',
      isComplete
        ? 'The root user already exists. Sign in as that user.'
        : 'Creating the root user was interrupted, with another e-mail address. Send that address again to complete it.',
    );
  });
  return createUserWithPassword({ store, hasher }, credentials, true);
}
