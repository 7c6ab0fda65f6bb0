import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { isServiceError } from '../../../src/errors.ts';
import type { Store } from '../../../src/store/store.ts';
import { lastHeard } from '../../../src/store/last-heard.ts';
import { WatchExpired } from '../../../src/store/store.ts';
import { aProbe, type Probe, ProbeKind } from '../../contracts/store/probe.ts';
import { startControlPlane } from '../control-plane/start-control-plane.ts';
import { installKinds } from '../install-kinds.ts';
import { openClusterStore } from '../open-cluster-store.ts';

const namespace = 'org-restarted';
const counters = ['counter-0', 'counter-1', 'counter-2', 'counter-3'];
const restarts = 2;

/** What every reader and writer notes; `low` is what each counter has been acknowledged to have reached. */
class Notes {
  readonly low = new Map(counters.map((name) => [name, 0]));
  readonly wrong: string[] = [];
  readonly done = { writes: 0, reads: 0, lists: 0, events: 0, creates: 0, unavailable: 0 };
  ended = false;

  /** Runs until the end; an answer that there is none now is slow, not wrong. */
  async loop(work: () => Promise<void>): Promise<void> {
    while (!this.ended)
      try {
        await work();
      } catch (error) {
        if (isServiceError(error, 'unavailable')) this.done.unavailable += 1;
        else if (!(error instanceof WatchExpired)) this.wrong.push(String(error));
        await pause(20);
      }
  }
}

const countOf = (probe: Probe | undefined): number => probe?.status?.count ?? 0;

/** Counts one of the counters up; who was not answered looks where it is. */
async function count(store: Store, name: string, notes: Notes): Promise<void> {
  const before = notes.low.get(name) ?? 0;
  try {
    let applied = 0;
    const written = await store.updateStatus(ProbeKind, { namespace, name }, (current) => {
      applied = countOf(current) + 1;
      return { count: applied };
    });
    if (countOf(written) !== before + 1) notes.wrong.push(`${name} went from ${before} to ${countOf(written)}`);
    notes.low.set(name, countOf(written));
    notes.done.writes += 1;
  } catch (error) {
    if (!isServiceError(error, 'unavailable')) throw error;
    notes.done.unavailable += 1;
    for (;;) {
      const there = await store.get(ProbeKind, { namespace, name }).catch(() => undefined);
      if (!there) continue;
      if (countOf(there) < before || countOf(there) > before + 1)
        notes.wrong.push(`${name}: ${before} → ${countOf(there)}`);
      notes.low.set(name, countOf(there));
      return;
    }
  }
}

async function read(store: Store, notes: Notes): Promise<void> {
  const name = counters[notes.done.reads % counters.length] ?? '';
  const low = notes.low.get(name) ?? 0;
  const seen = countOf(await store.get(ProbeKind, { namespace, name }));
  if (seen < low) notes.wrong.push(`read ${seen} of ${name} after ${low} was acknowledged`);
  notes.done.reads += 1;
}

/** A list that may lag never goes back, and is never behind what its own process wrote. */
function lister(store: Store, notes: Notes, own: boolean) {
  const reached = new Map<string, number>();
  return async (): Promise<void> => {
    const low = new Map(notes.low);
    const { items } = await lastHeard(store).list(ProbeKind, { namespace, labels: { what: 'counter' } });
    if (items.length !== counters.length) notes.wrong.push(`listed ${items.length} of ${counters.length}`);
    for (const item of items) {
      const { name } = item.metadata;
      const least = Math.max(reached.get(name) ?? 0, own ? (low.get(name) ?? 0) : 0);
      if (countOf(item) < least) notes.wrong.push(`listed ${countOf(item)} of ${name} after ${least}`);
      reached.set(name, countOf(item));
    }
    notes.done.lists += 1;
    await pause(2);
  };
}

/** Follows all counters; what it has seen never goes back, and without an expired watch no count is left out. */
function watcher(store: Store, notes: Notes, signal: AbortSignal) {
  const seen = new Map<string, number>();
  const work = async (): Promise<void> => {
    const { items, resourceVersion } = await lastHeard(store).list(ProbeKind, {
      namespace,
      labels: { what: 'counter' },
    });
    for (const item of items) {
      if (countOf(item) < (seen.get(item.metadata.name) ?? 0)) notes.wrong.push('a list went back behind a watch');
      seen.set(item.metadata.name, countOf(item));
    }
    for await (const { object } of store.watch(ProbeKind, {
      namespace,
      labels: { what: 'counter' },
      resourceVersion,
      signal,
    })) {
      const { name } = object.metadata;
      const before = seen.get(name) ?? 0;
      if (countOf(object) !== before + 1)
        notes.wrong.push(`${name}: the watch went from ${before} to ${countOf(object)}`);
      seen.set(name, countOf(object));
      notes.done.events += 1;
    }
  };
  return { seen, work };
}

/** Nobody else takes these names: a refusal would be of its own object. */
async function create(store: Store, notes: Notes): Promise<void> {
  const name = `made-${notes.done.creates}-${crypto.randomUUID().slice(0, 8)}`;
  const made = await store.create(ProbeKind, aProbe(namespace, name));
  await store.delete(ProbeKind, made.metadata);
  const there = await store.find(ProbeKind, made.metadata);
  if (there) notes.wrong.push(`${name} is there after it was deleted`);
  notes.done.creates += 1;
}

it('answers nothing wrong and loses no status while the API server is killed and started again under load', async () => {
  const cluster = await startControlPlane();
  onTestFinished(() => cluster.stop());
  await installKinds(cluster, [ProbeKind]);
  const [writing, other] = [await openClusterStore(cluster), await openClusterStore(cluster)];
  onTestFinished(async () => void (await Promise.all([writing.close(), other.close()])));
  for (const name of counters)
    await writing.create(ProbeKind, aProbe(namespace, name, { labels: { what: 'counter' } }));

  const notes = new Notes();
  const end = new AbortController();
  const watchers = [watcher(writing, notes, end.signal), watcher(other, notes, end.signal)];
  const busy = [
    ...counters.map((name) => notes.loop(() => count(writing, name, notes))),
    notes.loop(() => create(other, notes)),
    ...[writing, other].map((store) => notes.loop(() => read(store, notes))),
    notes.loop(lister(writing, notes, true)),
    notes.loop(lister(other, notes, false)),
    ...watchers.map(({ work }) => notes.loop(work)),
  ];
  for (let restart = 0; restart < restarts; restart += 1) {
    await pause(2_000);
    await cluster.restartApiServer();
  }
  await pause(2_000);
  const writesBefore = notes.done.writes;
  await expect.poll(() => notes.done.writes, { timeout: 20_000 }).toBeGreaterThan(writesBefore);
  notes.ended = true;
  await Promise.all(busy.slice(0, -watchers.length));
  for (const { seen } of watchers)
    await expect
      .poll(() => counters.map((name) => seen.get(name)), { timeout: 20_000 })
      .toEqual(counters.map((name) => notes.low.get(name)));
  end.abort();
  await Promise.all(busy);

  expect(notes.wrong).toEqual([]);
  for (const name of counters)
    expect(countOf(await other.get(ProbeKind, { namespace, name }))).toBe(notes.low.get(name));
  process.stderr.write(`${restarts} restarts of the API server: ${JSON.stringify(notes.done)}\n`);
});
