import { randomBytes } from 'node:crypto';
import { isServiceError } from '../../src/errors.ts';
import { readSecretText, SecretKind, toSecretData } from '../../src/kinds/kubernetes.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';

const keyRef = { namespace: systemNamespace, name: 'service-audit-key' };

/** Returns a function that reads the installation's key of fingerprints, which is created when it is first needed. */
export function createFingerprintKeyReader(store: Store): () => Promise<Uint8Array> {
  let key: Promise<Uint8Array> | undefined;
  return async () => {
    key ??= ensureKey(store);
    try {
      return await key;
    } catch (error) {
      key = undefined;
      throw error;
    }
  };
}

async function ensureKey(store: Store): Promise<Uint8Array> {
  const existing = await store.find(SecretKind, keyRef);
  const secret = existing ?? (await createKey(store));
  return Buffer.from(readSecretText(secret, 'key') ?? '', 'hex');
}

async function createKey(store: Store) {
  const data = toSecretData({ key: randomBytes(32).toString('hex') });
  return await store.create(SecretKind, { metadata: keyRef, data }).catch(async (error: unknown) => {
    // Another replica created it first.
    if (!isServiceError(error, 'conflict')) throw error;
    return await store.get(SecretKind, keyRef);
  });
}
