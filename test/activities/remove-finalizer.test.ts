import { expect, it } from 'vitest';
import { removeFinalizer } from '../../activities/remove-finalizer.ts';
import { ConfigMapKind } from '../../src/kinds/kubernetes.ts';
import type { Store } from '../../src/store/store.ts';
import { openTestStore } from '../support/open-test-store.ts';

const ref = { namespace: 'org-acme', name: 'one' };
const finalizer = 'service.dev/one';
const other = 'service.dev/other';

async function createDeleted(finalizers: string[]) {
  const store = openTestStore();
  const { metadata } = await store.create(ConfigMapKind, { metadata: { ...ref, finalizers }, data: {} });
  await store.delete(ConfigMapKind, ref);
  return { store, uid: metadata.uid };
}

it('deletes an object that nothing else keeps, also when asked twice', async () => {
  const { store, uid } = await createDeleted([finalizer]);
  await removeFinalizer(store, ConfigMapKind, { ref, uid, finalizer });
  expect(await store.find(ConfigMapKind, ref)).toBeUndefined();
  await removeFinalizer(store, ConfigMapKind, { ref, uid, finalizer });
});

it('keeps the finalizers of others', async () => {
  const { store, uid } = await createDeleted([finalizer, other]);
  await removeFinalizer(store, ConfigMapKind, { ref, uid, finalizer });
  expect((await store.get(ConfigMapKind, ref)).metadata.finalizers).toEqual([other]);
});

it('keeps the finalizer of a later object of the same name', async () => {
  const { store } = await createDeleted([finalizer]);
  await removeFinalizer(store, ConfigMapKind, { ref, uid: 'that-of-an-earlier-object', finalizer });
  expect((await store.get(ConfigMapKind, ref)).metadata.finalizers).toEqual([finalizer]);
});

it('does not undo what another writer changes at the same time', async () => {
  const { store, uid } = await createDeleted([finalizer, other]);
  let isFirst = true;
  const contended: Store = {
    ...store,
    replace: async (kind, object) => {
      if (isFirst) await store.replace(ConfigMapKind, { ...(await store.get(ConfigMapKind, ref)), data: { a: 'b' } });
      isFirst = false;
      return await store.replace(kind, object);
    },
  };
  await removeFinalizer(contended, ConfigMapKind, { ref, uid, finalizer });
  expect(await store.get(ConfigMapKind, ref)).toMatchObject({ metadata: { finalizers: [other] }, data: { a: 'b' } });
});
