import { expect, it, onTestFinished } from 'vitest';
import { ProductKind } from '../../src/rules/products/kinds.ts';
import { SharedWatches } from '../../src/store/shared-watches.ts';
import { WatchExpiredError, type Store } from '../../src/store/store.ts';
import { openMemoryStore } from '../support/open-test-store.ts';

function openWatches(wrap: (store: Store) => Store = (store) => store) {
  const store = openMemoryStore();
  onTestFinished(async () => await store.close());
  const errors: unknown[] = [];
  const watches = new SharedWatches(wrap(store), (error) => errors.push(error));
  const create = async (namespace: string, name: string) =>
    await store.create(ProductKind, {
      metadata: { namespace, name },
      spec: { repos: [], delivery: { zones: [] } },
    });
  const follow = async (scope: { namespace?: string; name?: string; resourceVersion?: string }) => {
    const seen: string[] = [];
    const { ready, close } = watches.subscribe(ProductKind, {
      ...scope,
      onChange: ({ type, object }) => seen.push(`${type} ${object.metadata.namespace}/${object.metadata.name}`),
      onExpired: () => seen.push('expired'),
    });
    await ready;
    return { seen, close };
  };
  return { store, watches, create, follow, errors };
}

it('reports the changes of a namespace, of one object or of all', async () => {
  const { store, create, follow } = openWatches();
  const readers = [
    await follow({ namespace: 'org-a' }),
    await follow({ namespace: 'org-a', name: 'one' }),
    await follow({}),
  ];
  await create('org-a', 'one');
  await create('org-b', 'two');
  await store.delete(ProductKind, { namespace: 'org-a', name: 'one' });
  await expect.poll(() => readers[2]?.seen).toEqual(['ADDED org-a/one', 'ADDED org-b/two', 'DELETED org-a/one']);
  expect(readers[0]?.seen).toEqual(['ADDED org-a/one', 'DELETED org-a/one']);
  expect(readers[1]?.seen).toEqual(['ADDED org-a/one', 'DELETED org-a/one']);
});

it('reports nothing to a reader that has left, and starts again for the next one', async () => {
  const { create, follow, watches } = openWatches();
  const first = await follow({});
  first.close();
  expect(watches.version(ProductKind)).toBeUndefined();
  await create('org-a', 'one');
  const second = await follow({});
  await create('org-a', 'two');
  await expect.poll(() => second.seen).toEqual(['ADDED org-a/two']);
  expect(first.seen).toEqual([]);
});

it('goes on for the other readers when one has left', async () => {
  const { create, follow, watches } = openWatches();
  const [first, second] = [await follow({}), await follow({})];
  first.close();
  first.close();
  await create('org-a', 'one');
  await expect.poll(() => second.seen).toEqual(['ADDED org-a/one']);
  expect(watches.version(ProductKind)).toBeDefined();
  expect(first.seen).toEqual([]);
});

it('starts from the version of the first reader', async () => {
  const { create, follow } = openWatches();
  const { metadata } = await create('org-a', 'one');
  await create('org-a', 'two');
  const { seen } = await follow({ resourceVersion: metadata.resourceVersion });
  await expect.poll(() => seen).toEqual(['ADDED org-a/two']);
});

it('returns the changes after a version, and undefined for those that it does not keep', async () => {
  const { create, follow, watches } = openWatches();
  expect(watches.changesAfter(ProductKind, '1')).toBeUndefined();
  const early = await create('org-a', 'early');
  await follow({});
  const { metadata } = await create('org-a', 'one');
  await create('org-a', 'two');
  const namesAfter = (version: string) =>
    watches.changesAfter(ProductKind, version)?.map(({ object }) => object.metadata.name);
  await expect.poll(() => namesAfter(metadata.resourceVersion)).toEqual(['two']);
  expect(namesAfter(early.metadata.resourceVersion)).toEqual(['one', 'two']);
  expect(namesAfter(String(Number(early.metadata.resourceVersion) - 1))).toBeUndefined();
  expect(namesAfter('999')).toBeUndefined();
  expect(namesAfter('x')).toBeUndefined();
  for (let index = 0; index < 600; index += 1) await create('org-a', `many-${index}`);
  await expect.poll(() => namesAfter(metadata.resourceVersion)).toBeUndefined();
});

function expirable<T>(watch: AsyncIterable<T>, onStart: (expire: (error: Error) => void) => void): AsyncIterable<T> {
  const failed = new Promise<never>((_resolve, reject) => onStart(reject));
  const events = watch[Symbol.asyncIterator]();
  return { [Symbol.asyncIterator]: () => ({ next: async () => await Promise.race([events.next(), failed]) }) };
}

it('says that changes were missed when the version has expired, and goes on', async () => {
  let expire: ((error: Error) => void) | undefined;
  const { create, follow } = openWatches((store) => ({
    ...store,
    watch: (kind, options) => expirable(store.watch(kind, options), (reject) => (expire = reject)),
  }));
  const { seen } = await follow({});
  expire?.(new WatchExpiredError('gone'));
  await expect.poll(() => seen).toEqual(['expired']);
  await create('org-a', 'one');
  await expect.poll(() => seen).toEqual(['expired', 'ADDED org-a/one']);
});

it('retries after a failure, and reports it', async () => {
  let calls = 0;
  const { create, follow, errors } = openWatches((store) => ({
    ...store,
    list: async (...args) => {
      calls += 1;
      if (calls === 1) throw new Error('unreachable');
      return await store.list(...args);
    },
  }));
  const { seen } = await follow({});
  expect(errors).toMatchObject([{ message: 'unreachable' }]);
  await create('org-a', 'one');
  await expect.poll(() => seen).toEqual(['ADDED org-a/one']);
});

it('says that changes were missed only once it follows the later ones, which a reader that lists before would miss', async () => {
  let isAway = false;
  let expire: ((error: Error) => void) | undefined;
  const { create, follow, errors } = openWatches((store) => ({
    ...store,
    list: async (...args) => {
      if (isAway) throw new Error('unreachable');
      return await store.list(...args);
    },
    watch: (kind, options) => expirable(store.watch(kind, options), (reject) => (expire = reject)),
  }));
  const { seen } = await follow({});
  isAway = true;
  expire?.(new WatchExpiredError('gone'));
  await expect.poll(() => errors).toHaveLength(1);
  await create('org-a', 'one');
  expect(seen).toEqual([]);
  isAway = false;
  await expect.poll(() => seen).toEqual(['expired']);
  await create('org-a', 'two');
  await expect.poll(() => seen).toEqual(['expired', 'ADDED org-a/two']);
});
