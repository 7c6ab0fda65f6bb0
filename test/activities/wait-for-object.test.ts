import { expect, it } from 'vitest';
import { waitForObject } from '../../activities/wait-for-object.ts';
import { type ConfigMap, ConfigMapKind } from '../../src/kinds/kubernetes.ts';
import { type Store, WatchExpiredError } from '../../src/store/store.ts';
import { openTestStore } from '../support/open-test-store.ts';

const ref = { namespace: 'org-acme', name: 'one' };
const judge = ({ data }: ConfigMap): string | undefined => data?.['result'];

function createStore() {
  const store = openTestStore();
  return store;
}

it('returns the result of an existing object at once', async () => {
  const store = createStore();
  await store.create(ConfigMapKind, { metadata: ref, data: { result: 'done' } });
  const { signal } = new AbortController();
  expect(await waitForObject(store, ConfigMapKind, { ...ref, signal, judge })).toBe('done');
});

it('continues to wait after the object is deleted, and reports that it is missing', async () => {
  const store = createStore();
  let missing = 0;
  const { signal } = new AbortController();
  const onMissing = async (): Promise<void> => void (missing += 1);
  const result = waitForObject(store, ConfigMapKind, { ...ref, signal, judge, onMissing });
  await expect.poll(() => missing).toBe(1);
  await store.create(ConfigMapKind, { metadata: ref });
  await store.delete(ConfigMapKind, ref);
  await expect.poll(() => missing).toBe(2);
  await store.create(ConfigMapKind, { metadata: ref, data: { result: 'done' } });
  expect(await result).toBe('done');
});

it('fails when a missing object cannot be created', async () => {
  const onMissing = async (): Promise<void> => {
    throw new Error('The namespace is being deleted.');
  };
  const { signal } = new AbortController();
  const result = waitForObject(createStore(), ConfigMapKind, { ...ref, signal, judge, onMissing });
  await expect(result).rejects.toThrow('The namespace is being deleted.');
});

it('lists again when its watch has expired, and fails with every other error of the watch', async () => {
  const store = createStore();
  const failures = [new WatchExpiredError('expired'), new Error('The watch broke.')];
  const watch: Store['watch'] = () => {
    throw failures.shift() as Error;
  };
  const { signal } = new AbortController();
  const result = waitForObject({ ...store, watch }, ConfigMapKind, { ...ref, signal, judge });
  await expect(result).rejects.toThrow('The watch broke.');
  expect(failures).toEqual([]);
});

it('ends with the reason of its signal', async () => {
  const abort = new AbortController();
  const result = waitForObject(createStore(), ConfigMapKind, { ...ref, signal: abort.signal, judge });
  abort.abort(new Error('cancelled'));
  await expect(result).rejects.toThrow('cancelled');
});
