import { expect, it } from 'vitest';
import type { Store, WatchOptions } from '../../../src/store/store.ts';
import { aProbe, ProbeKind, withSize, type Harness } from './probe.ts';

/** Watches in the background and keeps what it saw as `<type> <name> <size>`. */
function watching(store: Store, options: Omit<WatchOptions, 'signal'>) {
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
  return { seen, versions, stop };
}

const patience = { timeout: 10_000 };

export function watchingContract({ opened, space }: Harness): void {
  it('goes on from a list with every change in order, without a gap or a duplicate', async () => {
    const { store } = opened();
    const namespace = await space();
    const first = await store.create(ProbeKind, aProbe(namespace, 'before'));
    const { resourceVersion } = await store.list(ProbeKind, { namespace });
    const created = await store.create(ProbeKind, aProbe(namespace, 'a'));
    const watch = watching(store, { namespace, resourceVersion });
    await store.replace(ProbeKind, withSize(created, 2));
    await store.updateStatus(ProbeKind, created.metadata, () => ({ count: 1 }));
    await store.delete(ProbeKind, first.metadata);
    await store.create(ProbeKind, aProbe(namespace, 'before', { spec: { size: 9 } }));
    const expected = ['ADDED a 1', 'MODIFIED a 2', 'MODIFIED a 2', 'DELETED before 1', 'ADDED before 9'];
    await expect.poll(() => watch.seen, patience).toEqual(expected);
    await watch.stop();
    const again = watching(store, { namespace, resourceVersion: watch.versions[2] ?? '' });
    await expect.poll(() => again.seen, patience).toEqual(expected.slice(3));
    await again.stop();
  });

  it('misses nothing of what is written while it starts and reads', async () => {
    const { store } = opened();
    const namespace = await space();
    const { resourceVersion } = await store.list(ProbeKind, { namespace });
    const watches = [];
    for (let number = 0; number < 300; number += 1) {
      if (number % 100 === 50) watches.push(watching(store, { namespace, resourceVersion }));
      await store.create(ProbeKind, aProbe(namespace, `p-${number}`, { spec: { size: number } }));
    }
    const expected = Array.from({ length: 300 }, (_, number) => `ADDED p-${number} ${number}`);
    for (const watch of watches) {
      await expect.poll(() => watch.seen.length, patience).toBe(300);
      await watch.stop();
      expect(watch.seen).toEqual(expected);
    }
  });

  it('starts with the next change when no version is given', async () => {
    const { store } = opened();
    const namespace = await space();
    await store.create(ProbeKind, aProbe(namespace, 'before'));
    const watch = watching(store, { namespace });
    let number = 0;
    await expect
      .poll(async () => {
        await store.create(ProbeKind, aProbe(namespace, `after-${(number += 1)}`));
        return watch.seen.length;
      }, patience)
      .toBeGreaterThan(0);
    await watch.stop();
    expect(watch.seen.filter((event) => !event.startsWith('ADDED after-'))).toEqual([]);
  });

  it('sees one namespace, one name or all', async () => {
    const { store } = opened();
    const [here, there] = [await space(), await space()];
    const { resourceVersion } = await store.list(ProbeKind);
    await store.create(ProbeKind, aProbe(there, 'a'));
    await store.create(ProbeKind, aProbe(here, 'a'));
    await store.create(ProbeKind, aProbe(here, 'b'));
    const inHere = watching(store, { namespace: here, resourceVersion });
    const onlyB = watching(store, { namespace: here, name: 'b', resourceVersion });
    const everywhere = watching(store, { resourceVersion });
    await expect.poll(() => inHere.seen, patience).toEqual(['ADDED a 1', 'ADDED b 1']);
    await expect.poll(() => onlyB.seen, patience).toEqual(['ADDED b 1']);
    await expect.poll(() => everywhere.seen, patience).toEqual(expect.arrayContaining(['ADDED a 1', 'ADDED b 1']));
    expect(everywhere.seen.length).toBeGreaterThanOrEqual(3);
    await Promise.all([inHere.stop(), onlyB.stop(), everywhere.stop()]);
  });

  it('adds what comes to match its labels and deletes what ceases to', async () => {
    const { store } = opened();
    const namespace = await space();
    const { resourceVersion } = await store.list(ProbeKind, { namespace });
    const watch = watching(store, { namespace, labels: { tier: 'web' }, resourceVersion });
    const relabel = async (name: string, tier: string, size: number): Promise<void> => {
      const current = await store.get(ProbeKind, { namespace, name });
      await store.replace(
        ProbeKind,
        withSize({ ...current, metadata: { ...current.metadata, labels: { tier } } }, size),
      );
    };
    await store.create(ProbeKind, aProbe(namespace, 'a', { labels: { tier: 'web' } }));
    await store.create(ProbeKind, aProbe(namespace, 'b'));
    await relabel('b', 'web', 2);
    await relabel('b', 'web', 3);
    await relabel('a', 'db', 4);
    await store.delete(ProbeKind, { namespace, name: 'a' });
    await store.delete(ProbeKind, { namespace, name: 'b' });
    const types = () => watch.seen.map((event) => event.slice(0, event.lastIndexOf(' ')));
    await expect.poll(types, patience).toEqual(['ADDED a', 'ADDED b', 'MODIFIED b', 'DELETED a', 'DELETED b']);
    await watch.stop();
  });

  it('shows the removal of the last finalizer as a deletion', async () => {
    const { store } = opened();
    const namespace = await space();
    const { resourceVersion } = await store.list(ProbeKind, { namespace });
    const watch = watching(store, { namespace, resourceVersion });
    const { metadata } = await store.create(
      ProbeKind,
      aProbe(namespace, 'a', { finalizers: ['service.delivery/hold'] }),
    );
    await store.delete(ProbeKind, metadata);
    const marked = await store.get(ProbeKind, metadata);
    await store.replace(ProbeKind, { ...marked, metadata: { ...marked.metadata, finalizers: [] } });
    await expect.poll(() => watch.seen, patience).toEqual(['ADDED a 1', 'MODIFIED a 1', 'DELETED a 1']);
    await watch.stop();
  });

  it('ends when it is aborted, also before it began', async () => {
    const { store } = opened();
    const namespace = await space();
    const watch = watching(store, { namespace });
    await watch.stop();
    const events = store.watch(ProbeKind, { namespace, signal: AbortSignal.abort() });
    for await (const event of events) expect.unreachable(`It saw ${event.type}.`);
  });

  it('ends for the reader who leaves it', async () => {
    const { store } = opened();
    const namespace = await space();
    const { resourceVersion } = await store.list(ProbeKind, { namespace });
    await store.create(ProbeKind, aProbe(namespace, 'a'));
    await store.create(ProbeKind, aProbe(namespace, 'b'));
    for await (const { object } of store.watch(ProbeKind, {
      namespace,
      resourceVersion,
      signal: AbortSignal.timeout(10_000),
    })) {
      expect(object.metadata.name).toBe('a');
      break;
    }
  });
}
