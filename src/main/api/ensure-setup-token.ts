import { randomBytes } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deleteSetupToken, findRootUser } from '../../../api/installation/root-user.ts';
import { ConfigMapKind, readSecretText, type Secret, SecretKind, toSecretData } from '../../kinds/kubernetes.ts';
import { rootUserRef, setupTokenRef } from '../../rules/installation/setup-objects.ts';
import { isServiceError } from '../../errors.ts';
import type { Store } from '../../store/store.ts';

/** Returns the file that a person of this machine reads the setup token from. */
export const toSetupTokenFile = ({ dataDir }: { dataDir: string }): string => join(dataDir, 'setup-token');

/**
 * Returns the setup token and writes it to a file, until the root user exists. An installation whose root user was
 * removed gets no other token.
 */
export async function ensureSetupToken(store: Store, file: string): Promise<string | undefined> {
  const secret = await ensureSecret(store);
  if (!secret || (await findRootUser(store))) {
    await deleteSetupToken({ store, setupTokenFile: file });
    return undefined;
  }
  const token = readSecretText(secret, 'token') ?? '';
  // A rename lets several processes write the file at once without a reader seeing half of it.
  const temporaryFile = `${file}.${process.pid}`;
  await writeFile(temporaryFile, `${token}\n`, { mode: 0o600 });
  await rename(temporaryFile, file);
  return token;
}

/** A creation of the root user that was interrupted is completed with the token that it began with. */
async function ensureSecret(store: Store): Promise<Secret | undefined> {
  const existing = await store.find(SecretKind, setupTokenRef);
  if (existing || (await store.find(ConfigMapKind, rootUserRef))) return existing;
  const token = randomBytes(24).toString('base64url');
  try {
    return await store.create(SecretKind, { metadata: setupTokenRef, data: toSecretData({ token }) });
  } catch (error) {
    if (!isServiceError(error, 'conflict')) throw error;
    return await store.get(SecretKind, setupTokenRef);
  }
}
