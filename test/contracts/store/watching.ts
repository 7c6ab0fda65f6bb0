import { expect, it } from 'vitest';
import { type Store, WatchExpiredError, type WatchOptions } from '../../../src/store/store.ts';
import { buildProbe, ProbeKind, withSize, type StoreHarness } from './probe.ts';

/** Watches in the background and records events as `<type> <name> <size>`. */
function startWatch(store: Store, options: Omit<WatchOptions, 'signal'>) {
  const seen: string[] = [];
  const versions: string[] = [];
  const control = new AbortController();
  const done = (async () => {
    for await (const { type, object } of store.watch(ProbeKind, { ...options, signal: control.signal })) {
      seen.push(`${type} ${object.metadata.name} ${object.spec.size}`);
      versions.push(object.metadata.resourceVersion);
    }
  })();
  const stop = async (): Promise<void> => {
    control.abort();
    await done;
  };
  return { seen, versions, stop, stopped: done };
}

export function describeWatching({ getOpened, createNamespaceName }: StoreHarness): void {
  it('yields every change after a list in order, without gaps or duplicates', async () => {
    const { store } = getOpened();
    const namespace = await createNamespaceName();
    const first = await store.create(ProbeKind, buildProbe(namespace, 'before'));
    const { resourceVersion } = await store.list(ProbeKind, { namespace });
    const created = await store.create(ProbeKind, buildProbe(namespace, 'a'));
    const watch = startWatch(store, { namespace, resourceVersion });
    await store.replace(ProbeKind, withSize(created, 2));
    await store.updateStatus(ProbeKind, created.metadata, () => ({ count: 1 }));
    await store.delete(ProbeKind, first.metadata);
    await store.create(ProbeKind, buildProbe(namespace, 'before', { spec: { size: 9 } }));
    const expected = ['ADDED a 1', 'MODIFIED a 2', 'MODIFIED a 2', 'DELETED before 1', 'ADDED before 9'];
    await expect.poll(() => watch.seen).toEqual(expected);
    await watch.stop();
    const again = startWatch(store, { namespace, resourceVersion: watch.versions[2] ?? '' });
    await expect.poll(() => again.seen).toEqual(expected.slice(3));
    await again.stop();
  });

  it('expires for a version that the store has never had, for which no change would ever follow', async () => {
    const { store } = getOpened();
    const { resourceVersion } = await store.list(ProbeKind);
    const watch = startWatch(store, { resourceVersion: String(Number(resourceVersion) + 1_000_000) });
    await expect(watch.stopped).rejects.toThrow(WatchExpiredError);
  });

  it('yields all changes that are written while it starts and reads', async () => {
    const { store } = getOpened();
    const namespace = await createNamespaceName();
    const { resourceVersion } = await store.list(ProbeKind, { namespace });
    const watches = [];
    for (let number = 0; number < 300; number += 1) {
      if (number % 100 === 50) watches.push(startWatch(store, { namespace, resourceVersion }));
      await store.create(ProbeKind, buildProbe(namespace, `p-${number}`, { spec: { size: number } }));
    }
    const expected = Array.from({ length: 300 }, (_, number) => `ADDED p-${number} ${number}`);
    for (const watch of watches) {
      await expect.poll(() => watch.seen.length).toBe(300);
      await watch.stop();
      expect(watch.seen).toEqual(expected);
    }
  });

  it('starts with the next change without a version', async () => {
    const { store } = getOpened();
    const namespace = await createNamespaceName();
    await store.create(ProbeKind, buildProbe(namespace, 'before'));
    const watch = startWatch(store, { namespace });
    let number = 0;
    await expect
      .poll(async () => {
        await store.create(ProbeKind, buildProbe(namespace, `after-${(number += 1)}`));
        return watch.seen.length;
      })
      .toBeGreaterThan(0);
    await watch.stop();
    expect(watch.seen.filter((event) => !event.startsWith('ADDED after-'))).toEqual([]);
  });

  it('watches one namespace, one name or everything', async () => {
    const { store } = getOpened();
    const [here, there] = [await createNamespaceName(), await createNamespaceName()];
    const { resourceVersion } = await store.list(ProbeKind);
    await store.create(ProbeKind, buildProbe(there, 'a'));
    await store.create(ProbeKind, buildProbe(here, 'a'));
    await store.create(ProbeKind, buildProbe(here, 'b'));
    const inHere = startWatch(store, { namespace: here, resourceVersion });
    const onlyB = startWatch(store, { namespace: here, name: 'b', resourceVersion });
    const everywhere = startWatch(store, { resourceVersion });
    await expect.poll(() => inHere.seen).toEqual(['ADDED a 1', 'ADDED b 1']);
    await expect.poll(() => onlyB.seen).toEqual(['ADDED b 1']);
    await expect.poll(() => everywhere.seen).toEqual(expect.arrayContaining(['ADDED a 1', 'ADDED b 1']));
    expect(everywhere.seen.length).toBeGreaterThanOrEqual(3);
    await Promise.all([inHere.stop(), onlyB.stop(), everywhere.stop()]);
  });

  it('reports objects that start or stop matching the labels as added or deleted', async () => {
    const { store } = getOpened();
    const namespace = await createNamespaceName();
    const { resourceVersion } = await store.list(ProbeKind, { namespace });
    const watch = startWatch(store, { namespace, labels: { tier: 'web' }, resourceVersion });
    const relabel = async (name: string, tier: string, size: number): Promise<void> => {
      const current = await store.get(ProbeKind, { namespace, name });
      await store.replace(
        ProbeKind,
        withSize({ ...current, metadata: { ...current.metadata, labels: { tier } } }, size),
      );
    };
    await store.create(ProbeKind, buildProbe(namespace, 'a', { labels: { tier: 'web' } }));
    await store.create(ProbeKind, buildProbe(namespace, 'b'));
    await relabel('b', 'web', 2);
    await relabel('b', 'web', 3);
    await relabel('a', 'db', 4);
    await store.delete(ProbeKind, { namespace, name: 'a' });
    await store.delete(ProbeKind, { namespace, name: 'b' });
    const types = () => watch.seen.map((event) => event.slice(0, event.lastIndexOf(' ')));
    await expect.poll(types).toEqual(['ADDED a', 'ADDED b', 'MODIFIED b', 'DELETED a', 'DELETED b']);
    await watch.stop();
  });

  it('reports the removal of the last finalizer as a deletion', async () => {
    const { store } = getOpened();
    const namespace = await createNamespaceName();
    const { resourceVersion } = await store.list(ProbeKind, { namespace });
    const watch = startWatch(store, { namespace, resourceVersion });
    const { metadata } = await store.create(
      ProbeKind,
      buildProbe(namespace, 'a', { finalizers: ['service.delivery/hold'] }),
    );
    await store.delete(ProbeKind, metadata);
    const marked = await store.get(ProbeKind, metadata);
    await store.replace(ProbeKind, { ...marked, metadata: { ...marked.metadata, finalizers: [] } });
    await expect.poll(() => watch.seen).toEqual(['ADDED a 1', 'MODIFIED a 1', 'DELETED a 1']);
    await watch.stop();
  });

  it('ends when it is aborted, even before it starts', async () => {
    const { store } = getOpened();
    const namespace = await createNamespaceName();
    const watch = startWatch(store, { namespace });
    await watch.stop();
    const events = store.watch(ProbeKind, { namespace, signal: AbortSignal.abort() });
    for await (const event of events) expect.unreachable(`It saw ${event.type}.`);
  });

  it('ends when the reader stops iterating', async () => {
    const { store } = getOpened();
    const namespace = await createNamespaceName();
    const { resourceVersion } = await store.list(ProbeKind, { namespace });
    await store.create(ProbeKind, buildProbe(namespace, 'a'));
    await store.create(ProbeKind, buildProbe(namespace, 'b'));
    for await (const { object } of store.watch(ProbeKind, {
      namespace,
      resourceVersion,
      signal: AbortSignal.timeout(60_000),
    })) {
      expect(object.metadata.name).toBe('a');
      break;
    }
  });
}
