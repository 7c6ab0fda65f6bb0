import { randomBytes } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { UserKind } from '../../rules/access/kinds.ts';
import { SecretKind, toSecretData, readSecretText } from '../../kinds/kubernetes.ts';
import { systemNamespace } from '../../rules/resource.ts';
import { isServiceError } from '../../errors.ts';
import type { Store } from '../../store/store.ts';

/** Writes the setup token to a file. It is created at the first start and works until the root user exists. */
export async function ensureSetupToken(store: Store, file: string): Promise<{ needed: boolean; token: string }> {
  const ref = { namespace: systemNamespace, name: 'service-setup' };
  const existing = await store.find(SecretKind, ref);
  const secret = existing ?? (await createSetupToken(store, ref));
  const token = readSecretText(secret, 'token') ?? '';
  // A rename lets several processes write the file at once without a reader seeing half of it.
  const temporaryFile = `${file}.${process.pid}`;
  await writeFile(temporaryFile, `${token}\n`, { mode: 0o600 });
  await rename(temporaryFile, file);
  const users = await store.list(UserKind, { namespace: systemNamespace, limit: 1 });
  return { needed: users.items.length === 0, token };
}

async function createSetupToken(store: Store, ref: { namespace: string; name: string }) {
  const token = randomBytes(24).toString('base64url');
  try {
    return await store.create(SecretKind, { metadata: ref, data: toSecretData({ token }) });
  } catch (error) {
    if (!isServiceError(error, 'conflict')) throw error;
    return await store.get(SecretKind, ref);
  }
}
