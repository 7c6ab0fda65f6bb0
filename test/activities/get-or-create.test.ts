import { expect, it, vi } from 'vitest';
import { getOrCreate } from '../../activities/get-or-create.ts';
import { ConfigMapKind } from '../../src/kinds/kubernetes.ts';
import type { Store } from '../../src/store/store.ts';
import { openTestStore } from '../support/open-test-store.ts';

it('creates an object, and returns the existing one afterwards', async () => {
  const store = openTestStore();
  const metadata = { namespace: 'org-acme', name: 'one' };
  const created = await getOrCreate(store, ConfigMapKind, { metadata, data: { value: '1' } });
  expect(created.data).toEqual({ value: '1' });
  expect(await getOrCreate(store, ConfigMapKind, { metadata, data: { value: '2' } })).toEqual(created);
});

/** A store whose object is deleted between the conflict of its creation and the read, so many times. */
async function createDeletingStore(times: number) {
  const store = openTestStore();
  const metadata = { namespace: 'org-acme', name: 'one' };
  await store.create(ConfigMapKind, { metadata, data: { value: 'deleted' } });
  let deletions = 0;
  const get: Store['get'] = async (kind, ref) => {
    deletions += 1;
    if (deletions > times) return await store.get(kind, ref);
    await store.delete(kind, ref);
    const missing = await store.get(kind, ref).catch((error: unknown) => error);
    await store.create(ConfigMapKind, { metadata, data: { value: 'another' } });
    throw missing;
  };
  return { store: { ...store, get }, metadata };
}

it('returns the object that another process creates after one was deleted', async () => {
  const { store, metadata } = await createDeletingStore(4);
  const found = await getOrCreate(store, ConfigMapKind, { metadata, data: { value: 'own' } });
  expect(found.data).toEqual({ value: 'another' });
});

it('gives up on an object that is deleted each time', async () => {
  const { store, metadata } = await createDeletingStore(5);
  await expect(getOrCreate(store, ConfigMapKind, { metadata })).rejects.toMatchObject({ code: 'not-found' });
});

it('fails with every other error, also when the object exists', async () => {
  const store = openTestStore();
  const metadata = { namespace: 'org-acme', name: 'one' };
  await store.create(ConfigMapKind, { metadata });
  vi.spyOn(store, 'create').mockRejectedValue(new Error('The store is away.'));
  await expect(getOrCreate(store, ConfigMapKind, { metadata })).rejects.toThrow('The store is away.');
});
