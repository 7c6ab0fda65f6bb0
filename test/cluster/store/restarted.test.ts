import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { isServiceError } from '../../../src/errors.ts';
import type { Store } from '../../../src/store/store.ts';
import { cachedReads } from '../../../src/store/cached-reads.ts';
import { WatchExpiredError } from '../../../src/store/store.ts';
import { buildProbe, type Probe, ProbeKind } from '../../contracts/store/probe.ts';
import { startControlPlane } from '../control-plane/start-control-plane.ts';
import { installCrds } from '../install-crds.ts';
import { openClusterStore } from '../open-cluster-store.ts';

const namespace = 'org-restarted';
const counters = ['counter-0', 'counter-1', 'counter-2', 'counter-3'];
const restarts = 2;

/**
 * Shared by all readers and writers. `low` is the least value that each counter has; `answered` is the last one that a
 * write returned, because a store knows only of its answered writes.
 */
class LoadState {
  readonly low = new Map(counters.map((name) => [name, 0]));
  readonly answered = new Map(counters.map((name) => [name, 0]));
  readonly wrong: string[] = [];
  readonly done = { writes: 0, reads: 0, lists: 0, events: 0, creates: 0, unavailable: 0 };
  ended = false;

  /** Repeats the work until the end. `unavailable` is allowed, because it is slow but not wrong. */
  async loop(work: () => Promise<void>): Promise<void> {
    while (!this.ended)
      try {
        await work();
      } catch (error) {
        if (isServiceError(error, 'unavailable')) this.done.unavailable += 1;
        else if (!(error instanceof WatchExpiredError)) this.wrong.push(String(error));
        await pause(20);
      }
  }
}

const readCount = (probe: Probe | undefined): number => probe?.status?.count ?? 0;

/** Increments a counter. After an unanswered write it reads the counter. */
async function increment(store: Store, name: string, state: LoadState): Promise<void> {
  const before = state.low.get(name) ?? 0;
  try {
    let applied = 0;
    const written = await store.updateStatus(ProbeKind, { namespace, name }, (current) => {
      applied = readCount(current) + 1;
      return { count: applied };
    });
    if (readCount(written) !== before + 1) state.wrong.push(`${name} went from ${before} to ${readCount(written)}`);
    state.low.set(name, readCount(written));
    state.answered.set(name, readCount(written));
    state.done.writes += 1;
  } catch (error) {
    if (!isServiceError(error, 'unavailable')) throw error;
    state.done.unavailable += 1;
    for (;;) {
      const current = await store.get(ProbeKind, { namespace, name }).catch(() => undefined);
      if (!current) continue;
      if (readCount(current) < before || readCount(current) > before + 1)
        state.wrong.push(`${name}: ${before} → ${readCount(current)}`);
      state.low.set(name, readCount(current));
      return;
    }
  }
}

async function read(store: Store, state: LoadState): Promise<void> {
  const name = counters[state.done.reads % counters.length] ?? '';
  const low = state.low.get(name) ?? 0;
  const seen = readCount(await store.get(ProbeKind, { namespace, name }));
  if (seen < low) state.wrong.push(`read ${seen} of ${name} after ${low} was acknowledged`);
  state.done.reads += 1;
}

/** A cached list never goes back, and always includes the answered writes of its own process. */
function createLister(store: Store, state: LoadState, own: boolean) {
  const reached = new Map<string, number>();
  return async (): Promise<void> => {
    const answered = new Map(state.answered);
    const { items } = await cachedReads(store).list(ProbeKind, { namespace, labels: { what: 'counter' } });
    if (items.length !== counters.length) state.wrong.push(`listed ${items.length} of ${counters.length}`);
    for (const item of items) {
      const { name } = item.metadata;
      const least = Math.max(reached.get(name) ?? 0, own ? (answered.get(name) ?? 0) : 0);
      if (readCount(item) < least) state.wrong.push(`listed ${readCount(item)} of ${name} after ${least}`);
      reached.set(name, readCount(item));
    }
    state.done.lists += 1;
    await pause(2);
  };
}

/** A watch never goes back, and skips no value unless it expires. */
function createWatcher(store: Store, state: LoadState, signal: AbortSignal) {
  const seen = new Map<string, number>();
  const work = async (): Promise<void> => {
    const { items, resourceVersion } = await cachedReads(store).list(ProbeKind, {
      namespace,
      labels: { what: 'counter' },
    });
    for (const item of items) {
      if (readCount(item) < (seen.get(item.metadata.name) ?? 0)) state.wrong.push('a list went back behind a watch');
      seen.set(item.metadata.name, readCount(item));
    }
    for await (const { object } of store.watch(ProbeKind, {
      namespace,
      labels: { what: 'counter' },
      resourceVersion,
      signal,
    })) {
      const { name } = object.metadata;
      const before = seen.get(name) ?? 0;
      if (readCount(object) !== before + 1)
        state.wrong.push(`${name}: the watch went from ${before} to ${readCount(object)}`);
      seen.set(name, readCount(object));
      state.done.events += 1;
    }
  };
  return { seen, work };
}

/** The names are unique, so a conflict could only be with its own object. */
async function create(store: Store, state: LoadState): Promise<void> {
  const name = `made-${state.done.creates}-${crypto.randomUUID().slice(0, 8)}`;
  const made = await store.create(ProbeKind, buildProbe(namespace, name));
  await store.delete(ProbeKind, made.metadata);
  const remaining = await store.find(ProbeKind, made.metadata);
  if (remaining) state.wrong.push(`${name} exists after it was deleted`);
  state.done.creates += 1;
}

it('returns no wrong result and loses no status while the API server restarts under load', async () => {
  const cluster = await startControlPlane();
  onTestFinished(() => cluster.stop());
  await installCrds(cluster, [ProbeKind]);
  const [writing, other] = [await openClusterStore(cluster), await openClusterStore(cluster)];
  onTestFinished(async () => void (await Promise.all([writing.close(), other.close()])));
  for (const name of counters)
    await writing.create(ProbeKind, buildProbe(namespace, name, { labels: { what: 'counter' } }));

  const state = new LoadState();
  const end = new AbortController();
  const watchers = [createWatcher(writing, state, end.signal), createWatcher(other, state, end.signal)];
  const busy = [
    ...counters.map((name) => state.loop(() => increment(writing, name, state))),
    state.loop(() => create(other, state)),
    ...[writing, other].map((store) => state.loop(() => read(store, state))),
    state.loop(createLister(writing, state, true)),
    state.loop(createLister(other, state, false)),
    ...watchers.map(({ work }) => state.loop(work)),
  ];
  for (let restart = 0; restart < restarts; restart += 1) {
    await pause(2_000);
    await cluster.restartApiServer();
  }
  await pause(2_000);
  const writesBefore = state.done.writes;
  await expect.poll(() => state.done.writes).toBeGreaterThan(writesBefore);
  state.ended = true;
  await Promise.all(busy.slice(0, -watchers.length));
  for (const { seen } of watchers)
    await expect
      .poll(() => counters.map((name) => seen.get(name)))
      .toEqual(counters.map((name) => state.low.get(name)));
  end.abort();
  await Promise.all(busy);

  expect(state.wrong).toEqual([]);
  for (const name of counters)
    expect(readCount(await other.get(ProbeKind, { namespace, name }))).toBe(state.low.get(name));
  process.stderr.write(`${restarts} restarts of the API server: ${JSON.stringify(state.done)}\n`);
});
