import { expect, it, vi } from 'vitest';
import { getOrCreate } from '../../activities/get-or-create.ts';
import { ConfigMapKind } from '../../src/kinds/kubernetes.ts';
import { openTestStore } from '../support/open-test-store.ts';

it('creates an object, and returns the existing one afterwards', async () => {
  const store = openTestStore();
  const metadata = { namespace: 'org-acme', name: 'one' };
  const created = await getOrCreate(store, ConfigMapKind, { metadata, data: { value: '1' } });
  expect(created.data).toEqual({ value: '1' });
  expect(await getOrCreate(store, ConfigMapKind, { metadata, data: { value: '2' } })).toEqual(created);
});

it('fails with every other error, also when the object exists', async () => {
  const store = openTestStore();
  const metadata = { namespace: 'org-acme', name: 'one' };
  await store.create(ConfigMapKind, { metadata });
  vi.spyOn(store, 'create').mockRejectedValue(new Error('The store is away.'));
  await expect(getOrCreate(store, ConfigMapKind, { metadata })).rejects.toThrow('The store is away.');
});
