import { describe, expect, it, onTestFinished } from 'vitest';
import { FollowedOrgs, followKind } from '../../../api/http/followed-orgs.ts';
import { type AgentRole, AgentRoleKind } from '../../../src/rules/agents/kinds.ts';
import type { Store } from '../../../src/store/store.ts';
import { openTestStore } from '../../support/open-test-store.ts';

const namespace = 'org-acme';
const write = async (store: Store, name: string, duty = 'first', at = namespace): Promise<AgentRole> =>
  await store.create(AgentRoleKind, {
    metadata: { namespace: at, name },
    spec: { responsibilities: [duty] },
  });
/** Keeps the first responsibility of AgentRoles, except of those that are hidden. */
const toRecord = ({ spec: { responsibilities } }: AgentRole) =>
  responsibilities[0] === 'hidden' ? undefined : responsibilities[0];

describe('followKind', () => {
  function createScope(store: Store) {
    const end = new AbortController();
    onTestFinished(() => end.abort());
    const ended: true[] = [];
    const scope = { store, namespace, signal: end.signal, onEnd: () => void ended.push(true) };
    return { scope, ended, end };
  }

  it('reads the objects of the org, and keeps them current', async () => {
    const store = openTestStore();
    const [kept] = [
      await write(store, 'dev'),
      await write(store, 'qa', 'hidden'),
      await write(store, 'x', 'o', 'org-b'),
    ];
    const into = new Map([['gone', 'before']]);
    const changes: unknown[] = [];
    const { scope, ended, end } = createScope(store);
    await followKind({ kind: AgentRoleKind, into, toRecord, onChange: (record) => void changes.push(record) }, scope);
    expect([...into]).toEqual([['dev', 'first']]);
    expect(changes).toEqual([undefined]);

    await store.replace(AgentRoleKind, { ...kept, spec: { responsibilities: ['second'] } });
    await write(store, 'hid', 'hidden');
    const added = await write(store, 'ops');
    await expect
      .poll(() => [...into])
      .toEqual([
        ['dev', 'second'],
        ['ops', 'first'],
      ]);
    const current = await store.get(AgentRoleKind, kept.metadata);
    await store.replace(AgentRoleKind, { ...current, spec: { responsibilities: ['hidden'] } });
    await store.delete(AgentRoleKind, added.metadata);
    await expect.poll(() => into.size).toBe(0);
    expect(changes).toEqual([undefined, 'second', 'first', 'second', 'first']);

    expect(ended).toEqual([]);
    end.abort();
    await expect.poll(() => ended).toEqual([true]);
  });

  it('reads every page', async () => {
    const store = openTestStore();
    for (const name of ['a', 'b', 'c']) await write(store, name);
    const pages: unknown[] = [];
    const paged = {
      ...store,
      list: async (kind: typeof AgentRoleKind, options: { continue?: string }) => {
        pages.push(options.continue);
        return await store.list(kind, { ...options, limit: 1 });
      },
    } as unknown as Store;
    const into = new Map<string, string>();
    await followKind({ kind: AgentRoleKind, into, toRecord }, createScope(paged).scope);
    expect([...into.keys()]).toEqual(['a', 'b', 'c']);
    expect(pages).toHaveLength(3);
    expect(new Set(pages)).toHaveLength(3);
  });

  it('ends when the watch fails, and throws when there is none', async () => {
    const store = openTestStore();
    const failing = {
      ...store,
      watch: () => ({ [Symbol.asyncIterator]: () => ({ next: async () => await Promise.reject(new Error('away')) }) }),
    } as unknown as Store;
    const { scope, ended } = createScope(failing);
    await followKind({ kind: AgentRoleKind, into: new Map(), toRecord }, scope);
    await expect.poll(() => ended).toEqual([true]);
    const { scope: late, end } = createScope(store);
    end.abort();
    await expect(followKind({ kind: AgentRoleKind, into: new Map(), toRecord }, late)).rejects.toThrow(
      'ended before it began',
    );
  });
});

describe('FollowedOrgs', () => {
  /** Opens an index of records whose number a test chooses. */
  function createIndex({ size = 1, shutdownSignal }: { size?: number; shutdownSignal?: AbortSignal } = {}) {
    const opened: { namespace: string; signal: AbortSignal; onEnd: () => void }[] = [];
    const state: { failure?: Error; endsAtOnce?: boolean } = {};
    const deps = { store: openTestStore(), ...(shutdownSignal && { shutdownSignal }) };
    const index = new FollowedOrgs<{ size: number; id: number }>(deps, async (scope) => {
      const id = opened.push(scope);
      await Promise.resolve();
      if (state.failure) throw state.failure;
      if (state.endsAtOnce) scope.onEnd();
      return { size, id };
    });
    return { index, opened, state };
  }

  it('opens each org once, also for requests at the same time', async () => {
    const { index, opened } = createIndex();
    const found = await Promise.all([index.read('org-a'), index.read('org-a'), index.read('org-b')]);
    expect(found.map(({ id }) => id)).toEqual([1, 1, 2]);
    expect((await index.read('org-a')).id).toBe(1);
    expect(opened.map((scope) => [scope.namespace, scope.signal.aborted])).toEqual([
      ['org-a', false],
      ['org-b', false],
    ]);
  });

  it('opens an org again after its watch has ended, whenever that was', async () => {
    const { index, opened, state } = createIndex();
    await index.read('org-a');
    opened[0]?.onEnd();
    expect(opened[0]?.signal.aborted).toBe(true);
    state.endsAtOnce = true;
    expect((await index.read('org-a')).id).toBe(2);
    state.endsAtOnce = false;
    expect((await index.read('org-a')).id).toBe(3);
    expect((await index.read('org-a')).id).toBe(3);
  });

  it('ends what an org has begun when it cannot be opened, and opens it again', async () => {
    const { index, opened, state } = createIndex();
    state.failure = new Error('away');
    await expect(index.read('org-a')).rejects.toThrow('away');
    expect(opened[0]?.signal.aborted).toBe(true);
    delete state.failure;
    expect((await index.read('org-a')).id).toBe(2);
  });

  it('ends when the process does', async () => {
    const shutdown = new AbortController();
    const { index, opened } = createIndex({ shutdownSignal: shutdown.signal });
    await index.read('org-a');
    shutdown.abort();
    expect(opened[0]?.signal.aborted).toBe(true);
  });

  it('keeps as many records as fit, and forgets the orgs that were not read for the longest time', async () => {
    const { index, opened } = createIndex({ size: 499_999 });
    for (const org of ['org-a', 'org-b', 'org-a', 'org-c', 'org-a']) await index.read(org);
    expect(opened.map((scope) => [scope.namespace, scope.signal.aborted])).toEqual([
      ['org-a', false],
      ['org-b', true],
      ['org-c', false],
    ]);
  });

  it.each([
    [999_999, 1],
    [1_000_000, 2],
  ])('keeps no org that does not fit: %i records', async (size, times) => {
    const { index, opened } = createIndex({ size });
    expect((await index.read('org-a')).size).toBe(size);
    await index.read('org-a');
    expect(opened).toHaveLength(times);
    expect(opened[0]?.signal.aborted).toBe(times > 1);
  });
});
