import { expect, it } from 'vitest';
import { createFingerprintKeyReader } from '../../../api/audit/fingerprint-key.ts';
import { readSecretText, SecretKind } from '../../../src/kinds/kubernetes.ts';
import type { Store } from '../../../src/store/store.ts';
import { openTestStore } from '../../support/open-test-store.ts';

it('creates one key, which every replica reads', async () => {
  const store = openTestStore();
  const readers = [createFingerprintKeyReader(store), createFingerprintKeyReader(store)];
  const keys = await Promise.all([...readers, ...readers].map(async (read) => await read()));
  expect(keys[0]).toHaveLength(32);
  expect(new Set(keys.map((key) => Buffer.from(key).toString('hex')))).toHaveLength(1);
  const { items } = await store.list(SecretKind);
  expect(items.map((secret) => readSecretText(secret, 'key'))).toEqual([Buffer.from(keys[0] ?? []).toString('hex')]);
  expect(await createFingerprintKeyReader(store)()).toEqual(keys[0]);
});

it('reads the store once, and again after it was away', async () => {
  const store = openTestStore();
  let reads = 0;
  let isAway = true;
  const find: Store['find'] = async (...args) => {
    reads += 1;
    if (isAway) throw new Error('away');
    return await store.find(...args);
  };
  const read = createFingerprintKeyReader({ ...store, find });
  await expect(read()).rejects.toThrow('away');
  isAway = false;
  expect(await read()).toEqual(await read());
  expect(reads).toBe(2);
});

it('throws when the key cannot be created', async () => {
  const create = async () => await Promise.reject(new Error('read-only'));
  await expect(createFingerprintKeyReader({ ...openTestStore(), create })()).rejects.toThrow('read-only');
});
