import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { ConfigMapKind, SecretKind } from '../../src/kinds/kubernetes.ts';
import type { StoredObject } from '../../src/rules/resource.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { WatchExpiredError } from '../../src/store/store.ts';
import { describeStoreContract } from '../contracts/store.ts';
import { buildProbe, ProbeKind, expectError, withSize } from '../contracts/store/probe.ts';
import { createTemporaryFile } from './create-temporary-file.ts';

async function openStore() {
  const directory = await mkdtemp(path.join(tmpdir(), 'store-'));
  const file = path.join(directory, 'store.db');
  const store = openSqliteStore({ file });
  const close = async (): Promise<void> => {
    await store.close();
    await rm(directory, { recursive: true });
  };
  return { file, store, reopen: async () => openSqliteStore({ file }), close };
}

describeStoreContract('SQLite', openStore);

async function openTestStore() {
  const file = await createTemporaryFile();
  const store = openSqliteStore({ file });
  onTestFinished(() => store.close());
  return { file, store };
}

const namespace = 'org-acme';

it('keeps objects, history and the latest version when it is reopened', async () => {
  const { file, store } = await openTestStore();
  const a = await store.create(ProbeKind, buildProbe(namespace, 'a', { labels: { tier: 'web' } }));
  const b = await store.create(ProbeKind, buildProbe(namespace, 'b', { owners: [a] }));
  const page = await store.list(ProbeKind, { namespace, limit: 1 });
  await store.create(ProbeKind, buildProbe(namespace, 'c'));
  await store.delete(ProbeKind, { namespace, name: 'c' });
  const before = await store.list(ProbeKind);
  await store.close();

  const again = openSqliteStore({ file });
  expect(await again.list(ProbeKind)).toEqual(before);
  expect((await again.list(ProbeKind, { namespace, limit: 1, continue: page.continue ?? '' })).items).toEqual([b]);
  const names = [];
  for await (const { type, object } of again.watch(ProbeKind, {
    resourceVersion: page.resourceVersion,
    signal: new AbortController().signal,
  })) {
    names.push(`${type} ${object.metadata.name}`);
    if (names.length === 2) break;
  }
  expect(names).toEqual(['ADDED c', 'DELETED c']);
  const next = await again.create(ProbeKind, buildProbe(namespace, 'd'));
  expect(Number(next.metadata.resourceVersion)).toBe(Number(before.resourceVersion) + 1);
  await again.delete(ProbeKind, { namespace, name: 'a' });
  expect(await again.find(ProbeKind, { namespace, name: 'b' })).toBeUndefined();
  await again.close();
});

it('ends all watches when it is closed', async () => {
  const { store } = await openTestStore();
  const events = store.watch(ProbeKind, { signal: new AbortController().signal })[Symbol.asyncIterator]();
  const next = events.next();
  await store.close();
  expect(await next).toEqual({ done: true, value: undefined });
  await store.close();
});

it('creates files that only their owner can read', async () => {
  const { file, store } = await openTestStore();
  await store.create(ProbeKind, buildProbe(namespace, 'a'));
  for (const name of [file, `${file}-wal`, `${file}-shm`]) expect((await stat(name)).mode & 0o777).toBe(0o600);
});

it('rejects a continue token of another list', async () => {
  const { store } = await openTestStore();
  for (const name of ['a', 'b', 'c']) await store.create(ProbeKind, buildProbe(namespace, name));
  const { continue: token = '' } = await store.list(ProbeKind, { namespace, limit: 1 });
  await expectError('invalid', store.list(ConfigMapKind, { namespace, limit: 1, continue: token }));
  await expectError('invalid', store.list(ProbeKind, { namespace: 'org-other', limit: 1, continue: token }));
  await expectError('invalid', store.list(ProbeKind, { namespace, labels: { a: 'b' }, limit: 1, continue: token }));
  const empty = openSqliteStore({ file: ':memory:' });
  const { message } = await expectError('invalid', empty.list(ProbeKind, { namespace, limit: 1, continue: token }));
  expect(message).toContain('List again');
  await empty.close();
});

it.each([0, -1, 1.5])('rejects the limit %d', async (limit) => {
  const store = openSqliteStore({ file: ':memory:' });
  expect((await expectError('invalid', store.list(ProbeKind, { limit }))).pointers).toEqual(['?limit']);
  await store.close();
});

it('deletes an object of the largest size, whose last version is longer by a digit', async () => {
  const { store } = await openTestStore();
  const add = async (name: string, text: string) =>
    await store.create(ConfigMapKind, { metadata: { namespace, name }, data: { text } });
  const small = await add('c-1', '');
  for (let version = 2; version < 9; version += 1) await add(`c-${version}`, '');
  const largest = await add('c-9', 'x'.repeat(1.5 * 1024 * 1024 - JSON.stringify(small).length));
  expect(largest.metadata.resourceVersion).toBe('9');
  await expectError(
    'too-large',
    store.replace(ConfigMapKind, { ...largest, data: { text: `${largest.data?.['text']}x` } }),
  );
  await store.delete(ConfigMapKind, largest.metadata);
  expect(await store.find(ConfigMapKind, largest.metadata)).toBeUndefined();
});

it('rejects an owner in another namespace, because Kubernetes would treat it as missing', async () => {
  const { store } = await openTestStore();
  const owner = await store.create(ProbeKind, buildProbe('org-other', 'owner'));
  const { pointers } = await expectError(
    'invalid',
    store.create(ProbeKind, buildProbe(namespace, 'a', { owners: [owner] })),
  );
  expect(pointers).toEqual(['/metadata/ownerReferences/0']);
  expect(await store.find(ProbeKind, { namespace, name: 'a' })).toBeUndefined();
});

it('keeps the newest 10,000 changes for watches and pages, and reports older versions as expired', async () => {
  const { file, store } = await openTestStore();
  for (const name of ['a', 'b']) await store.create(ProbeKind, buildProbe(namespace, name));
  const page = await store.list(ProbeKind, { namespace, limit: 1 });
  const nextPage = () => store.list(ProbeKind, { namespace, limit: 1, continue: page.continue ?? '' });
  const firstEvent = (resourceVersion: string) =>
    store.watch(ProbeKind, { resourceVersion, signal: new AbortController().signal })[Symbol.asyncIterator]().next();

  let current = await store.get(ProbeKind, { namespace, name: 'b' });
  for (let size = 2; size <= 10_001; size += 1) current = await store.replace(ProbeKind, withSize(current, size));
  expect((await nextPage()).items).toMatchObject([{ spec: { size: 1 } }]);
  expect((await firstEvent(page.resourceVersion)).value).toMatchObject({
    type: 'MODIFIED',
    object: { spec: { size: 2 } },
  });

  await store.replace(ProbeKind, withSize(current, 1));
  expect((await expectError('invalid', nextPage())).message).toContain('List again');
  await expect(firstEvent(page.resourceVersion)).rejects.toThrow(WatchExpiredError);
  for (const unknown of ['99999999', 'x', '']) await expect(firstEvent(unknown)).rejects.toThrow(WatchExpiredError);
  const database = new DatabaseSync(file);
  expect(database.prepare('SELECT count(*) AS count FROM versions').get()).toEqual({ count: 10_002 });
  database.close();
});

it('shares the frozen objects of a cached list until they change, but never a Secret', async () => {
  const { store } = await openTestStore();
  const first = await store.create(ProbeKind, buildProbe(namespace, 'a'));
  await store.create(SecretKind, { metadata: { namespace, name: 'a' }, type: 'Opaque', data: { key: 'dmFsdWU=' } });
  const list = async (kind: typeof ProbeKind | typeof SecretKind, consistency: 'cached' | 'strong') =>
    (await store.list<StoredObject>(kind, { namespace, consistency })).items[0];
  const before = await list(ProbeKind, 'cached');
  expect(await list(ProbeKind, 'cached')).toBe(before);
  expect(Object.isFrozen(before?.metadata)).toBe(true);
  expect(await list(ProbeKind, 'strong')).toEqual(before);
  expect(Object.isFrozen(await list(ProbeKind, 'strong'))).toBe(false);
  await store.updateStatus(ProbeKind, first.metadata, () => ({ count: 1 }));
  expect(await list(ProbeKind, 'cached')).toMatchObject({ status: { count: 1 } });
  expect(before).not.toHaveProperty('status');
  expect(await list(SecretKind, 'cached')).not.toBe(await list(SecretKind, 'cached'));
});
