import type { ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ConfigMap, ConfigMapKind } from '../../../src/kinds/kubernetes.ts';
import type { Kind, Metadata, StoredObject } from '../../../src/rules/resource.ts';
import { Informer } from '../../../src/store/kubernetes/informer.ts';
import { WatchExpiredError, type WatchOptions } from '../../../src/store/store.ts';
import { connectTestApiServer } from '../../support/servers/test-api-server.ts';

const listedVersion = 10;
const namespace = 'org-acme';
type Labels = Record<string, string>;

const toObject = (name: string, version: number, labels: Labels = {}) => ({
  metadata: { namespace, name, uid: `uid-${name}`, resourceVersion: String(version), labels },
  data: { version: String(version) },
});
type TestObject = ReturnType<typeof toObject>;
const toMetadata = (name: string, version: number): Metadata => ({
  ...toObject(name, version).metadata,
  generation: 1,
  creationTimestamp: '2026-01-01T00:00:00Z',
});

/** Starts an informer on a server with these objects, whose later changes the test sends. */
async function startInformer(items: TestObject[] = []) {
  const watches: { from: string; hasBookmarks: boolean; response: ServerResponse }[] = [];
  const waiting: (() => void)[] = [];
  let lists = 0;
  const state = { isReachable: true, isSlow: false, latest: listedVersion };
  const connects: (() => void)[] = [];
  const server = await connectTestApiServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://api.test');
    if (searchParams.get('watch') === null) {
      lists += 1;
      response.end(JSON.stringify({ items, metadata: { resourceVersion: String(state.latest) } }));
      return;
    }
    const connect = (): void => response.writeHead(200).flushHeaders();
    if (watches.length > 0 && state.isSlow) connects.push(connect);
    else connect();
    const hasBookmarks = searchParams.get('allowWatchBookmarks') === 'true';
    watches.push({ from: searchParams.get('resourceVersion') ?? '', hasBookmarks, response });
    for (const wake of waiting.splice(0)) wake();
  });
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const informer = new Informer({
    server,
    kind: ConfigMapKind as unknown as Kind<StoredObject>,
    closed: stop.signal,
    reachable: () => state.isReachable,
  });
  const waitForWatch = async (count = 1) => {
    while (watches.length < count) await new Promise<void>((resolve) => waiting.push(resolve));
  };
  await waitForWatch();
  const send = (...changes: [type: string, object: TestObject][]): void => {
    const lines = changes.map(([type, object]) => `${JSON.stringify({ type, object })}\n`);
    watches[0]?.response.write(lines.join(''));
  };
  /** Lists once the informer has the version, which takes long on a busy machine. */
  const listAt = async (version: number) => {
    informer.expectVersion(String(version));
    for (let attempt = 1; ; attempt += 1) {
      const page = await informer.listPage({}, 'q');
      if (page || attempt === 20) return page;
    }
  };
  const watch = (options: Partial<WatchOptions> = {}) => {
    const reader = new AbortController();
    onTestFinished(() => reader.abort());
    const ended = () => reader.signal.aborted || stop.signal.aborted;
    return informer.watch({ signal: reader.signal, ended, ...options });
  };
  return { informer, send, listAt, watch, watches, waitForWatch, stop, state, connects, countLists: () => lists };
}

/** Reads this many events, as their types, names and versions. */
async function read(events: AsyncGenerator<{ type: string; object: unknown }>, count: number): Promise<string[]> {
  const found: string[] = [];
  for await (const { type, object } of events) {
    const { metadata } = object as ConfigMap;
    found.push(`${type} ${metadata.name} ${metadata.resourceVersion}`);
    if (found.length === count) break;
  }
  return found;
}

describe('a list', () => {
  it('is the state that was listed, with the changes since', async () => {
    const { send, listAt } = await startInformer([toObject('a', 4), toObject('b', 5)]);
    const first = await listAt(10);
    expect(first?.items.map(({ metadata }) => metadata.name)).toEqual(['a', 'b']);
    expect(first?.resourceVersion).toBe('10');
    send(['ADDED', toObject('c', 11)], ['MODIFIED', toObject('a', 12)], ['DELETED', toObject('b', 13)]);
    const second = await listAt(13);
    expect(second?.items).toMatchObject([{ data: { version: '12' } }, { data: { version: '11' } }]);
    expect(second?.resourceVersion).toBe('13');
  });

  it('goes on with the snapshot of its first page', async () => {
    const { informer, send, listAt } = await startInformer(['a', 'b', 'c'].map((name) => toObject(name, 4)));
    const first = await informer.listPage({ limit: 2 }, 'q');
    expect(first?.continue).toBeDefined();
    send(['DELETED', toObject('c', 11)], ['MODIFIED', toObject('a', 12)], ['ADDED', toObject('d', 13)]);
    await listAt(13);
    const after = { version: 10, namespace, name: 'b' };
    const second = await informer.listPage({ limit: 2 }, 'q', after);
    expect(second).toMatchObject({ items: [{ metadata: { name: 'c' } }], resourceVersion: '10' });
    expect(second).not.toHaveProperty('continue');
    expect(await informer.listPage({}, 'q', { ...after, version: 9 })).toBeUndefined();
  });

  it('has a next page only if there is more', async () => {
    const { informer } = await startInformer(['a', 'b'].map((name) => toObject(name, 4)));
    expect(await informer.listPage({ limit: 2 }, 'q')).not.toHaveProperty('continue');
    expect(await informer.listPage({ limit: 1 }, 'q')).toHaveProperty('continue');
  });

  it('waits for what was written, and leaves it to the API server after a while', async () => {
    const { informer, send } = await startInformer([toObject('a', 4)]);
    informer.expectVersion('11');
    informer.expectVersion('5');
    const found = informer.find({ namespace, name: 'a' });
    send(['MODIFIED', toObject('a', 11)]);
    expect(await found).toMatchObject({ data: { version: '11' } });
    informer.expectVersion('12');
    expect(await informer.find({ namespace, name: 'a' })).toBeUndefined();
  });

  it('waits until a deleted object is gone', async () => {
    const { informer, send, listAt } = await startInformer([toObject('a', 4)]);
    informer.expectDeletion(toMetadata('a', 4));
    const listed = listAt(10);
    send(['DELETED', toObject('a', 11)]);
    expect((await listed)?.items).toEqual([]);
    // The deletion has been seen already.
    informer.expectDeletion(toMetadata('a', 4));
    expect((await listAt(11))?.items).toEqual([]);
  });

  it('does not wait for a deletion that its list contains already', async () => {
    const { informer, listAt } = await startInformer([toObject('a', 4)]);
    await listAt(10);
    informer.expectDeletion(toMetadata('gone', 9));
    expect(informer.revision()).toBeDefined();
    // Its name has a new object.
    informer.expectDeletion({ ...toMetadata('a', 3), uid: 'uid-before' });
    expect((await listAt(10))?.items).toHaveLength(1);
    // The cache does not have what was deleted yet.
    informer.expectDeletion(toMetadata('later', 11));
    expect(informer.revision()).toBeUndefined();
  });

  it('is left to the API server while that cannot be reached', async () => {
    const { informer, listAt, state } = await startInformer([toObject('a', 4)]);
    await listAt(10);
    state.isReachable = false;
    expect(await informer.find({ namespace, name: 'a' })).toBeUndefined();
    expect(informer.revision()).toBeUndefined();
  });

  it('shares objects that cannot be changed', async () => {
    const { informer } = await startInformer([toObject('a', 4)]);
    const object = await informer.find({ namespace, name: 'a' });
    expect(Object.isFrozen(object)).toBe(true);
    expect(Object.isFrozen(object?.metadata.labels)).toBe(true);
    expect(await informer.find({ namespace, name: 'a' })).toBe(object);
  });
});

it('is left to the API server while its watch is interrupted', async () => {
  const { informer, listAt, watches, waitForWatch, state, connects } = await startInformer([toObject('a', 4)]);
  await listAt(10);
  state.isSlow = true;
  watches[0]?.response.end();
  await waitForWatch(2);
  expect(informer.revision()).toBeUndefined();
  const found = informer.find({ namespace, name: 'a' });
  for (const connect of connects) connect();
  expect(await found).toMatchObject({ data: { version: '4' } });
  expect(informer.revision()).toBeDefined();
});

describe('a revision', () => {
  it('stays until an object of the namespace changes', async () => {
    const { informer, send, listAt } = await startInformer([toObject('a', 4)]);
    await listAt(10);
    const [all, own, other] = [informer.revision(), informer.revision(namespace), informer.revision('org-other')];
    expect([all, own, other]).not.toContain(undefined);
    expect(informer.revision()).toBe(all);
    send(['BOOKMARK', toObject('', 11)]);
    await listAt(11);
    expect(informer.revision(namespace)).toBe(own);
    send(['MODIFIED', toObject('a', 12)]);
    await listAt(12);
    expect(informer.revision()).not.toBe(all);
    expect(informer.revision(namespace)).not.toBe(own);
    expect(informer.revision('org-other')).toBe(other);
    informer.expectVersion('13');
    expect(informer.revision()).toBeUndefined();
  });
});

describe('a watch', () => {
  it('begins after its version, or now', async () => {
    const { send, listAt, watch } = await startInformer();
    send(['ADDED', toObject('a', 11)], ['MODIFIED', toObject('a', 12)]);
    await listAt(12);
    expect(await read(watch({ resourceVersion: '11' }), 1)).toEqual(['MODIFIED a 12']);
    expect(await read(watch({ resourceVersion: '10' }), 2)).toEqual(['ADDED a 11', 'MODIFIED a 12']);
    const fromNow = read(watch(), 1);
    await new Promise((resolve) => setImmediate(resolve));
    send(['DELETED', toObject('a', 13)]);
    expect(await fromNow).toEqual(['DELETED a 13']);
  });

  it('reports the objects of a namespace, of one name, or with labels', async () => {
    const { send, listAt, watch } = await startInformer([toObject('b', 4, { kind: 'x' })]);
    send(
      ['ADDED', toObject('a', 11)],
      ['MODIFIED', toObject('b', 12)],
      ['MODIFIED', toObject('a', 13, { kind: 'x' })],
      ['DELETED', toObject('a', 14, { kind: 'x' })],
    );
    await listAt(14);
    const resourceVersion = '10';
    const labels = { kind: 'x' };
    // One that stops matching is reported as deleted, and one that starts to match as added.
    const matching = ['DELETED b 12', 'ADDED a 13', 'DELETED a 14'];
    expect(await read(watch({ resourceVersion, labels }), 3)).toEqual(matching);
    expect(await read(watch({ resourceVersion, name: 'b' }), 1)).toEqual(['MODIFIED b 12']);
    expect(await read(watch({ resourceVersion, namespace }), 4)).toHaveLength(4);
    const elsewhere = read(watch({ resourceVersion, namespace: 'org-other' }), 1);
    const other = toObject('z', 15);
    send(['ADDED', { ...other, metadata: { ...other.metadata, namespace: 'org-other' } }]);
    expect(await elsewhere).toEqual(['ADDED z 15']);
  });

  it('starts at the API server for what is not kept here', async () => {
    const { watch, watches, waitForWatch } = await startInformer();
    const older = read(watch({ resourceVersion: '9' }), 1);
    await waitForWatch(2);
    // Without bookmarks, the version of a quiet kind expires.
    expect(watches).toMatchObject(['10', '9'].map((from) => ({ from, hasBookmarks: true })));
    const change = { type: 'ADDED', object: toObject('old', 10) };
    const bookmark = { type: 'BOOKMARK', object: toObject('', 10) };
    watches[1]?.response.write(`${JSON.stringify(bookmark)}\n${JSON.stringify(change)}\n`);
    expect(await older).toEqual(['ADDED old 10']);
  });

  it('keeps 2,000 changes at least', async () => {
    const { send, listAt, watch, watches, waitForWatch } = await startInformer();
    const add = (count: number, from: number) =>
      Array.from({ length: count }, (_, index) => ['ADDED', toObject('a', from + index)] as [string, TestObject]);
    send(...add(4_000, 11));
    await listAt(4_010);
    expect(await read(watch({ resourceVersion: '10' }), 1)).toEqual(['ADDED a 11']);
    send(...add(1, 4_011));
    await listAt(4_011);
    expect(watches).toHaveLength(1);
    expect(await read(watch({ resourceVersion: '2010' }), 1)).toEqual(['MODIFIED a 2011']);
    void read(watch({ resourceVersion: '2009' }), 1);
    await waitForWatch(2);
    expect(watches[1]?.from).toBe('2009');
  });

  it('keeps fewer changes of large objects', async () => {
    const { send, listAt, watch, watches, waitForWatch } = await startInformer();
    const text = 'x'.repeat(1024 * 1024);
    const add = (count: number, from: number) =>
      Array.from({ length: count }, (_, index) => {
        const object = toObject('a', from + index);
        return ['MODIFIED', { ...object, data: { version: text } }] as [string, TestObject];
      });
    send(...add(30, 11));
    await listAt(40);
    expect(await read(watch({ resourceVersion: '10' }), 1)).toEqual(['ADDED a 11']);
    send(...add(3, 41));
    await listAt(43);
    expect(watches).toHaveLength(1);
    expect(await read(watch({ resourceVersion: '30' }), 1)).toEqual(['MODIFIED a 31']);
    void read(watch({ resourceVersion: '10' }), 1);
    await waitForWatch(2);
    expect(watches[1]?.from).toBe('10');
  });

  it('begins after the latest version of the cluster, which a change of another kind may have, and after no later one', async () => {
    const { watch, send, state, listAt } = await startInformer();
    await listAt(10);
    state.latest = 12;
    const changes = read(watch({ resourceVersion: '12' }), 1);
    await expect(read(watch({ resourceVersion: '13' }), 1)).rejects.toThrow(WatchExpiredError);
    send(['ADDED', toObject('a', 14)]);
    expect(await changes).toEqual(['ADDED a 14']);
  });

  it('expires for a version that is none', async () => {
    const { watch } = await startInformer();
    await expect(read(watch({ resourceVersion: '' }), 1)).rejects.toThrow(WatchExpiredError);
  });

  it('ends with its reader, and with the store', async () => {
    const { informer, watch, stop } = await startInformer();
    const reader = new AbortController();
    const ended = () => reader.signal.aborted;
    const own = read(informer.watch({ signal: reader.signal, ended }), 1);
    const other = read(watch(), 1);
    await new Promise((resolve) => setImmediate(resolve));
    reader.abort();
    expect(await own).toEqual([]);
    stop.abort();
    expect(await other).toEqual([]);
  });
});

it('lists again when the version of its watch has expired', async () => {
  const items = [toObject('a', 4)];
  const { informer, listAt, watches, waitForWatch, countLists } = await startInformer(items);
  await listAt(10);
  const before = informer.revision();
  items.splice(0, 1, toObject('b', 5));
  watches[0]?.response.end(`${JSON.stringify({ type: 'ERROR', object: { code: 410 } })}\n`);
  await waitForWatch(2);
  expect((await listAt(10))?.items.map(({ metadata }) => metadata.name)).toEqual(['b']);
  expect(informer.revision()).not.toBe(before);
  expect(countLists()).toBe(2);
});
