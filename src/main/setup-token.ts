import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { UserKind } from '../rules/access/kinds.ts';
import { SecretKind } from '../rules/core-kinds.ts';
import { systemNamespace } from '../rules/resource.ts';
import { isServiceError } from '../errors.ts';
import type { Store } from '../store/store.ts';

/** The token of the setup wizard: made at the first start, of use until the root user exists. */
export async function ensureSetupToken(store: Store, file: string): Promise<{ needed: boolean }> {
  const ref = { namespace: systemNamespace, name: 'service-setup' };
  const existing = await store.find(SecretKind, ref);
  const secret = existing ?? (await create(store, ref));
  await writeFile(file, `${Buffer.from(secret.data['token'] ?? '', 'base64').toString('utf8')}\n`, { mode: 0o600 });
  const users = await store.list(UserKind, { namespace: systemNamespace, limit: 1 });
  return { needed: users.items.length === 0 };
}

async function create(store: Store, ref: { namespace: string; name: string }) {
  const token = randomBytes(24).toString('base64url');
  try {
    return await store.create(SecretKind, { metadata: ref, data: { token: Buffer.from(token).toString('base64') } });
  } catch (error) {
    if (!isServiceError(error, 'conflict')) throw error;
    return await store.get(SecretKind, ref);
  }
}
