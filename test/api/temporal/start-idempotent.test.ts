import { expect, it } from 'vitest';
import { startIdempotent } from '../../../api/temporal/start-idempotent.ts';
import { ConfigMapKind } from '../../../src/kinds/kubernetes.ts';
import { startApi } from '../../support/start-api.ts';
import { createStartingTemporal } from './start-fixture.ts';

const request = { id: 'one', hasIdempotencyKey: true };
type Running = NonNullable<Parameters<typeof createStartingTemporal>[1]>;

/** Counts the starts of what is the newest when a request is prepared. */
async function countStarts(running: Running = {}) {
  const { store } = await startApi();
  const { temporal } = createStartingTemporal({}, running);
  const state = { newest: 'first', fails: false };
  const started: string[] = [];
  const start = async (payload: object, identity = request) =>
    await startIdempotent(
      { store, temporal },
      { org: 'acme', request: identity, payload, prepare: async () => ({ commit: state.newest }) },
      {
        toWorkflowId: ({ commit }) => commit,
        start: async ({ commit }) => {
          started.push(commit);
          if (state.fails) throw new Error('The response was lost.');
          return `run-${started.length}`;
        },
      },
    );
  return { store, state, start, started };
}

it('returns the same name for a repeated request', async () => {
  const { start } = await countStarts();
  expect([await start({ a: 1 }), await start({ a: 1 })]).toEqual(['run-1', 'run-1']);
});

it('starts again without an idempotency key', async () => {
  const { store, start } = await countStarts();
  const identity = { id: 'one', hasIdempotencyKey: false };
  expect([await start({}, identity), await start({}, identity)]).toEqual(['run-1', 'run-2']);
  expect(await store.find(ConfigMapKind, { namespace: 'org-acme', name: 'request-one' })).toBeUndefined();
});

it('rejects a different request with the same key', async () => {
  const { start } = await countStarts();
  await start({ a: 1 });
  await expect(start({ a: 2 })).rejects.toMatchObject({ reason: 'idempotency-key-reused' });
});

it.each<[status: string, running: Running, expected: string[]]>([
  ['has started it', { startedBy: 'one' }, ['first', 'first']],
  ['has completed it', { startedBy: 'one', isCompleted: true }, ['first', 'first']],
  ['has failed', { startedBy: 'one', isFailed: true }, ['first', 'second']],
  ['met that of another request', { startedBy: 'other' }, ['first', 'second']],
])(
  'starts for a repeated request what the attempt whose response was lost decided if it %s',
  async (_, running, expected) => {
    const { state, start, started } = await countStarts(running);
    state.fails = true;
    await expect(start({ a: 1 })).rejects.toThrow('The response was lost.');
    Object.assign(state, { newest: 'second', fails: false });
    expect(await start({ a: 1 })).toBe('run-2');
    expect(started).toEqual(expected);
  },
);

it('accepts another request with the key of one that has started nothing', async () => {
  const { state, start } = await countStarts({ startedBy: 'other' });
  state.fails = true;
  await expect(start({ a: 1 })).rejects.toThrow('The response was lost.');
  state.fails = false;
  expect(await start({ a: 2 })).toBe('run-2');
});

it('rejects another request with the key of one whose response was lost', async () => {
  const { state, start } = await countStarts({ startedBy: 'one' });
  state.fails = true;
  await expect(start({ a: 1 })).rejects.toThrow('The response was lost.');
  await expect(start({ a: 2 })).rejects.toMatchObject({ reason: 'idempotency-key-reused' });
});
