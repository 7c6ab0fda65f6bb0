import { ignoreNotFound, isServiceError, ServiceError } from '../../src/errors.ts';
import { userName } from '../../src/rules/access/user-name.ts';
import { UserKind, type User } from '../../src/rules/access/kinds.ts';
import { SecretKind, toSecretData, readSecretText } from '../../src/kinds/kubernetes.ts';
import { ownerReference, systemNamespace } from '../../src/rules/resource.ts';
import { deleteUnlessChanged } from '../../src/store/delete-unless-changed.ts';
import type { Store } from '../../src/store/store.ts';
import type { PasswordHasher } from './password-hasher.ts';

type Credentials = { email: string; password: string };
type Deps = { store: Store; hasher: PasswordHasher };

const hashKey = 'password-hash';
const userRef = (email: string) => ({ namespace: systemNamespace, name: userName(email) });

/**
 * Saves the password before the user: a user without a password could neither sign in nor be created again. Of requests
 * at once for one address, the password of the one that creates the user is the last that is written.
 */
export async function createUserWithPassword(
  { store, hasher }: Deps,
  { email, password }: Credentials,
  platformAdmin: boolean,
): Promise<User> {
  const metadata = userRef(email);
  const data = toSecretData({ [hashKey]: await hasher.hash(password) });
  const leftover = await store.find(SecretKind, metadata);
  if (await store.find(UserKind, metadata)) throw emailTaken(email);
  const rejectTaken = (error: unknown): never => {
    throw isServiceError(error, 'conflict') ? emailTaken(email) : error;
  };
  const saving = leftover
    ? store.replace(SecretKind, { ...leftover, data })
    : store.create(SecretKind, { metadata, type: 'Opaque', data });
  const saved = await saving.catch(rejectTaken);
  const spec = { email: email.toLowerCase(), platformAdmin };
  const user = await store.create(UserKind, { metadata, spec }).catch(async (error: unknown) => {
    // It would open the account of the other person.
    if (isServiceError(error, 'conflict')) await deleteUnlessChanged(store, SecretKind, saved);
    return rejectTaken(error);
  });
  const ownerReferences = [ownerReference(user)];
  await store.put(SecretKind, { metadata: { ...metadata, ownerReferences }, type: 'Opaque', data });
  return user;
}

/** Deletes the password of an address that no user has, as an interrupted request leaves it. */
export async function deleteLeftoverPassword(store: Store, email: string): Promise<void> {
  const ref = userRef(email);
  if (await store.find(UserKind, ref)) return;
  await store.delete(SecretKind, ref).catch(ignoreNotFound);
}

const emailTaken = (email: string): ServiceError =>
  new ServiceError('already-exists', `A user "${email}" already exists. Sign in as that user.`);

/** Saves the hash of a password, and replaces an earlier one. */
export async function savePassword({ store, hasher }: Deps, email: string, password: string): Promise<void> {
  const metadata = userRef(email);
  const data = toSecretData({ [hashKey]: await hasher.hash(password) });
  const existing = await store.find(SecretKind, metadata);
  if (existing) await store.replace(SecretKind, { ...existing, data });
  else await store.create(SecretKind, { metadata, type: 'Opaque', data });
}

/** Verified in place of a missing user's hash, so that the response time does not reveal which users exist. */
export const dummyHash =
  '$argon2id$v=19$m=19456,t=2,p=1$bm8gdXNlciBoYXMgdGhpcw$Tm8gcGFzc3dvcmQgaGFzIHRoaXMgaGFzaCwgZXZlci4';

/** A user, and the hash that the password was verified against. */
export type VerifiedUser = { user: User; passwordHash: string };

export async function findUserByCredentials(
  { store, hasher }: Deps,
  { email, password }: Credentials,
): Promise<VerifiedUser | undefined> {
  const [user, secret] = await Promise.all([
    store.find(UserKind, userRef(email)),
    store.find(SecretKind, userRef(email)),
  ]);
  const passwordHash = readSecretText(secret, hashKey);
  const isCorrect = await hasher.verify(user && passwordHash ? passwordHash : dummyHash, password);
  return isCorrect && user && passwordHash ? { user, passwordHash } : undefined;
}

/** Replaces the password that was verified. Returns false if another request has replaced it since. */
export async function replacePassword(
  { store, hasher }: Deps,
  { user, passwordHash }: VerifiedUser,
  password: string,
): Promise<boolean> {
  const data = toSecretData({ [hashKey]: await hasher.hash(password) });
  const stored = await store.find(SecretKind, userRef(user.spec.email));
  if (!stored || readSecretText(stored, hashKey) !== passwordHash) return false;
  try {
    await store.replace(SecretKind, { ...stored, data });
    return true;
  } catch (error) {
    if (isServiceError(error, 'conflict')) return false;
    throw error;
  }
}

/** Whether the password that was verified is still that of the user. */
export async function isPasswordCurrent(store: Store, { user, passwordHash }: VerifiedUser): Promise<boolean> {
  return readSecretText(await store.find(SecretKind, userRef(user.spec.email)), hashKey) === passwordHash;
}
