import { randomBytes } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { UserKind } from '../rules/access/kinds.ts';
import { SecretKind, secretData, secretText } from '../rules/core-kinds.ts';
import { systemNamespace } from '../rules/resource.ts';
import { isServiceError } from '../errors.ts';
import type { Store } from '../store/store.ts';

/** The token of the setup wizard: made at the first start, of use until the root user exists. */
export async function ensureSetupToken(store: Store, file: string): Promise<{ needed: boolean }> {
  const ref = { namespace: systemNamespace, name: 'service-setup' };
  const existing = await store.find(SecretKind, ref);
  const secret = existing ?? (await create(store, ref));
  const text = `${secretText(secret, 'token') ?? ''}\n`;
  // Several processes may write it at once, and somebody read it: never half of it.
  const own = `${file}.${process.pid}`;
  await writeFile(own, text, { mode: 0o600 });
  await rename(own, file);
  const users = await store.list(UserKind, { namespace: systemNamespace, limit: 1 });
  return { needed: users.items.length === 0 };
}

async function create(store: Store, ref: { namespace: string; name: string }) {
  const token = randomBytes(24).toString('base64url');
  try {
    return await store.create(SecretKind, { metadata: ref, data: secretData({ token }) });
  } catch (error) {
    if (!isServiceError(error, 'conflict')) throw error;
    return await store.get(SecretKind, ref);
  }
}
