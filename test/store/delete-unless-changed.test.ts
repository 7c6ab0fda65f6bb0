import { expect, it } from 'vitest';
import { SecretKind, toSecretData } from '../../src/kinds/kubernetes.ts';
import { deleteUnlessChanged } from '../../src/store/delete-unless-changed.ts';
import type { Store } from '../../src/store/store.ts';
import { openTestStore } from '../support/open-test-store.ts';

const ref = { namespace: 'service-system', name: 'one' };

it('deletes what was read, and neither what was changed since nor what is gone', async () => {
  const store = openTestStore();
  const first = await store.create(SecretKind, { metadata: ref, data: toSecretData({ key: 'first' }) });
  const second = await store.replace(SecretKind, { ...first, data: toSecretData({ key: 'second' }) });
  await deleteUnlessChanged(store, SecretKind, first);
  expect(await store.find(SecretKind, ref)).toEqual(second);
  for (let time = 0; time < 2; time += 1) await deleteUnlessChanged(store, SecretKind, second);
  expect(await store.find(SecretKind, ref)).toBeUndefined();
});

it('throws any other error', async () => {
  const store = openTestStore();
  const secret = await store.create(SecretKind, { metadata: ref, data: {} });
  const broken: Store = { ...store, delete: async () => await Promise.reject(new Error('away')) };
  await expect(deleteUnlessChanged(broken, SecretKind, secret)).rejects.toThrow('away');
});
