import { expect, it, onTestFinished } from 'vitest';
import { notFound } from '../../src/errors.ts';
import { ConfigMapKind } from '../../src/kinds/kubernetes.ts';
import { applyObject } from '../../src/store/apply-object.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';

const ref = { namespace: 'org-acme', name: 'settings' };

function createStore() {
  const store = openSqliteStore({ file: ':memory:' });
  onTestFinished(async () => await store.close());
  return store;
}

it('creates an object, replaces it when its content differs, and leaves an equal one as it is', async () => {
  const store = createStore();
  const apply = async (text: string) => {
    await applyObject(store, ConfigMapKind, { ref, build: () => ({ data: { text } }) });
    return await store.get(ConfigMapKind, ref);
  };
  const first = await apply('a');
  expect(first.data).toEqual({ text: 'a' });
  expect((await apply('a')).metadata.resourceVersion).toBe(first.metadata.resourceVersion);
  expect((await apply('b')).data).toEqual({ text: 'b' });
});

it('builds the content again when another process has written the object in the meantime', async () => {
  const store = createStore();
  await store.create(ConfigMapKind, { metadata: ref, data: { count: '1' } });
  let builds = 0;
  await applyObject(store, ConfigMapKind, {
    ref,
    build: async (current) => {
      builds += 1;
      if (current && builds === 1) await store.replace(ConfigMapKind, { ...current, data: { count: '5' } });
      return { data: { count: String(Number(current?.data?.['count']) + 1) } };
    },
  });
  expect(builds).toBe(2);
  expect((await store.get(ConfigMapKind, ref)).data).toEqual({ count: '6' });
});

it('creates an object again that a person deletes before it is replaced', async () => {
  const store = createStore();
  await store.create(ConfigMapKind, { metadata: ref, data: { text: 'a' } });
  await applyObject(store, ConfigMapKind, {
    ref,
    build: async (current) => {
      if (current) await store.delete(ConfigMapKind, ref);
      return { data: { text: 'b' } };
    },
  });
  expect((await store.get(ConfigMapKind, ref)).data).toEqual({ text: 'b' });
});

it('replaces an object of which one field of several differs', async () => {
  const store = createStore();
  const apply = async (text: string) =>
    await applyObject(store, ConfigMapKind, { ref, build: () => ({ data: { text }, binaryData: { same: 'YQ==' } }) });
  await apply('a');
  await apply('b');
  expect(await store.get(ConfigMapKind, ref)).toMatchObject({ data: { text: 'b' }, binaryData: { same: 'YQ==' } });
});

it('returns what is stored, and throws the conflict of the last attempt', async () => {
  const store = createStore();
  const applied = await applyObject(store, ConfigMapKind, { ref, build: () => ({ data: { count: '1' } }) });
  expect(applied).toEqual(await store.get(ConfigMapKind, ref));
  let builds = 0;
  const overtaken = applyObject(store, ConfigMapKind, {
    ref,
    build: async (current) => {
      builds += 1;
      if (current) await store.replace(ConfigMapKind, { ...current, data: { count: `other ${builds}` } });
      return { data: { count: 'own' } };
    },
    attemptsMax: 2,
  });
  await expect(overtaken).rejects.toMatchObject({ code: 'conflict' });
  expect(builds).toBe(2);
});

it('throws every error but a conflict, also that a cluster does not have the kind', async () => {
  const store = createStore();
  const create = async (): Promise<never> => {
    throw notFound('kind', 'ConfigMap', 'the cluster');
  };
  await expect(applyObject({ ...store, create }, ConfigMapKind, { ref, build: () => ({}) })).rejects.toMatchObject({
    code: 'not-found',
  });
  await expect(
    applyObject(store, ConfigMapKind, { ref: { namespace: '', name: 'settings' }, build: () => ({}) }),
  ).rejects.toMatchObject({ code: 'invalid' });
});
