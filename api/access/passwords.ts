import { createHash } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { z } from '@hono/zod-openapi';
import { isServiceError, ServiceError } from '../../src/errors.ts';
import { UserKind, type User } from '../../src/rules/access/kinds.ts';
import { SecretKind, secretData, secretText } from '../../src/rules/core-kinds.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';

export const NewUserBody = z.strictObject({
  email: z.email().max(254),
  password: z.string().min(12, 'must have at least 12 characters').max(200),
});
export type NewUserBody = z.infer<typeof NewUserBody>;

/** One user per address, by name: two requests cannot make two. */
export const userName = (email: string): string =>
  `user-${createHash('sha256').update(email.toLowerCase()).digest('hex').slice(0, 20)}`;

const userRef = (email: string) => ({ namespace: systemNamespace, name: userName(email) });

/** The password is there before the user is: a user without one could never sign in, nor be created again. */
export async function createUserWithPassword(
  store: Store,
  { email, password }: NewUserBody,
  platformAdmin: boolean,
): Promise<User> {
  const metadata = userRef(email);
  if (await store.find(UserKind, metadata)) throw taken(email);
  const data = secretData({ 'password-hash': await hash(password) });
  await writeSecret(store, { metadata, type: 'Opaque', data });
  try {
    return await store.create(UserKind, { metadata, spec: { email: email.toLowerCase(), platformAdmin } });
  } catch (error) {
    throw isServiceError(error, 'conflict') ? taken(email) : error;
  }
}

const taken = (email: string): ServiceError =>
  new ServiceError('conflict', `There already is a user "${email}". Sign in as that user.`);

async function writeSecret(
  store: Store,
  secret: { data: Record<string, string>; metadata: { namespace: string; name: string }; type: string },
): Promise<void> {
  const existing = await store.find(SecretKind, secret.metadata);
  if (existing) await store.replace(SecretKind, { ...existing, data: secret.data });
  else await store.create(SecretKind, secret);
}

/** Of no password; checked for users that do not exist, so that the time of an answer tells nobody who does. */
let nobodysHash: Promise<string> | undefined;

export async function userWithPassword(store: Store, { email, password }: NewUserBody): Promise<User | undefined> {
  const [user, secret] = await Promise.all([
    store.find(UserKind, userRef(email)),
    store.find(SecretKind, userRef(email)),
  ]);
  const kept = secretText(secret, 'password-hash');
  nobodysHash ??= hash('nobody has this password');
  const passwordHash = user && kept ? kept : await nobodysHash;
  const right = await verify(passwordHash, password);
  return right && kept ? user : undefined;
}
