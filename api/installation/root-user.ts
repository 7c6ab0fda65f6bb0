import { rm } from 'node:fs/promises';
import { ignoreNotFound, isServiceError, ServiceError } from '../../src/errors.ts';
import { UserKind, type User } from '../../src/rules/access/kinds.ts';
import { ConfigMapKind, SecretKind } from '../../src/kinds/kubernetes.ts';
import { rootUserRef, setupTokenRef } from '../../src/rules/installation/setup-objects.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import type { NewUserBody } from '../access/schemas.ts';
import type { PasswordHasher } from '../auth/password-hasher.ts';
import { userName } from '../../src/rules/access/user-name.ts';
import { createUserWithPassword } from '../auth/passwords.ts';

type SetupToken = { store: Store; setupTokenFile?: string | undefined };

export async function findRootUser(store: Store): Promise<User | undefined> {
  const name = (await store.find(ConfigMapKind, rootUserRef))?.data?.['user'];
  return name === undefined ? undefined : store.find(UserKind, { namespace: systemNamespace, name });
}

/** Returns whether the setup is over. Another platform admin may have removed the root user since. */
export async function wasRootUserCreated(store: Store): Promise<boolean> {
  if (await findRootUser(store)) return true;
  // Only the creation of the root user deletes the token, so one that was interrupted still has it.
  const [registered, token] = await Promise.all([
    store.find(ConfigMapKind, rootUserRef),
    store.find(SecretKind, setupTokenRef),
  ]);
  return registered !== undefined && token === undefined;
}

/** Creates the root user, and then deletes the setup token. */
export async function registerRootUser(
  { hasher, ...setup }: SetupToken & { hasher: PasswordHasher },
  credentials: NewUserBody,
): Promise<User> {
  const { store } = setup;
  const user = userName(credentials.email);
  await store.create(ConfigMapKind, { metadata: rootUserRef, data: { user } }).catch(async (error: unknown) => {
    if (!isServiceError(error, 'conflict')) throw error;
    if (await findRootUser(store)) throw rootUserExists();
    // A request that failed after this point completes when it is repeated with the same address.
    const registered = (await store.get(ConfigMapKind, rootUserRef)).data?.['user'];
    if (registered === user) return;
    throw new ServiceError(
      'already-exists',
      'Creating the root user was interrupted, with another e-mail address. Send that address again to complete it.',
    );
  });
  const created = await createUserWithPassword({ store, hasher }, credentials, true);
  await deleteSetupToken(setup);
  return created;
}

/** Deletes the setup token, which would otherwise create another root user once the first one is removed. */
export async function deleteSetupToken({ store, setupTokenFile }: SetupToken): Promise<void> {
  await store.delete(SecretKind, setupTokenRef).catch(ignoreNotFound);
  if (setupTokenFile !== undefined) await rm(setupTokenFile, { force: true });
}

export const rootUserExists = (): ServiceError =>
  new ServiceError('already-exists', 'The root user already exists. Sign in as that user.');
