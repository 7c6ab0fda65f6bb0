import { describe, expect, it } from 'vitest';
import { listAndWatch } from '../../src/store/list-and-watch.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { WatchExpiredError } from '../../src/store/store.ts';
import { buildProbe, ProbeKind } from '../contracts/store/probe.ts';

type Change = { type: 'ADDED'; object: string };

/** Builds a source whose list returns the versions 1, 2, … and whose watches end as scripted. */
function buildSource(...watches: (Change | Error)[][]) {
  const control = new AbortController();
  const watched: string[] = [];
  let lists = 0;
  return {
    control,
    watched,
    options: {
      signal: control.signal,
      list: async () => ({ items: [`item-${(lists += 1)}`], resourceVersion: String(lists) }),
      async *watch(resourceVersion: string): AsyncGenerator<Change> {
        watched.push(resourceVersion);
        for (const step of watches[watched.length - 1] ?? [])
          if (step instanceof Error) throw step;
          else yield step;
      },
    },
  };
}

const added = (object: string): Change => ({ type: 'ADDED', object });
const listed = (number: number) => ({ type: 'LISTED', items: [`item-${number}`], resourceVersion: String(number) });

describe('listAndWatch', () => {
  it('yields the list first, then the changes after its version', async () => {
    const { options, watched } = buildSource([added('a'), added('b')]);
    expect(await Array.fromAsync(listAndWatch(options))).toEqual([listed(1), added('a'), added('b')]);
    expect(watched).toEqual(['1']);
  });

  it('lists again when the version has expired', async () => {
    const { options, watched } = buildSource([added('a'), new WatchExpiredError('410')], [added('b')]);
    const events = await Array.fromAsync(listAndWatch(options));
    expect(events).toEqual([listed(1), added('a'), listed(2), added('b')]);
    expect(watched).toEqual(['1', '2']);
  });

  it('skips the first list when it resumes from a version, and lists when that version has expired', async () => {
    const { options, watched } = buildSource([added('a'), new WatchExpiredError('410')], []);
    const events = await Array.fromAsync(listAndWatch({ ...options, resourceVersion: '7' }));
    expect(events).toEqual([added('a'), listed(1)]);
    expect(watched).toEqual(['7', '1']);
  });

  it('throws every other error of the watch', async () => {
    const { options } = buildSource([new Error('The store is unavailable.')]);
    await expect(Array.fromAsync(listAndWatch(options))).rejects.toThrow('The store is unavailable.');
  });

  it('does not list when the signal is already aborted', async () => {
    const { options, control } = buildSource([added('a')]);
    control.abort();
    expect(await Array.fromAsync(listAndWatch(options))).toEqual([]);
  });

  it('relists a store whose history no longer holds the version', async () => {
    const store = openSqliteStore({ file: ':memory:' });
    const { metadata } = await store.create(ProbeKind, buildProbe('org-acme', 'a'));
    const control = new AbortController();
    const events = listAndWatch({
      signal: control.signal,
      resourceVersion: '1000000',
      list: () => store.list(ProbeKind, { namespace: 'org-acme' }),
      watch: (resourceVersion) => store.watch(ProbeKind, { resourceVersion, signal: control.signal }),
    });
    expect((await events.next()).value).toMatchObject({ type: 'LISTED', items: [{ metadata }] });
    await store.create(ProbeKind, buildProbe('org-acme', 'b'));
    expect((await events.next()).value).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'b' } } });
    control.abort();
    expect((await events.next()).done).toBe(true);
    await store.close();
  });
});
