import { expect, it } from 'vitest';
import { startIdempotent } from '../../../api/temporal/start-idempotent.ts';
import { ServiceError } from '../../../src/errors.ts';
import { startApi } from '../../support/start-api.ts';

const request = { id: 'one', hasIdempotencyKey: true };

async function countStarts() {
  const { store } = await startApi();
  let starts = 0;
  const start = async (payload: object, identity = request) =>
    startIdempotent(store, { org: 'acme', request: identity, payload }, async () => {
      starts += 1;
      return `run-${starts}`;
    });
  return { store, start };
}

it('returns the same name for a repeated request', async () => {
  const { start } = await countStarts();
  expect([await start({ a: 1 }), await start({ a: 1 })]).toEqual(['run-1', 'run-1']);
});

it('starts again without an idempotency key', async () => {
  const { start } = await countStarts();
  const identity = { id: 'one', hasIdempotencyKey: false };
  expect([await start({}, identity), await start({}, identity)]).toEqual(['run-1', 'run-2']);
});

it('rejects a different request with the same key', async () => {
  const { start } = await countStarts();
  await start({ a: 1 });
  await expect(start({ a: 2 })).rejects.toMatchObject({ reason: 'idempotency-key-reused' });
});

it('fails when the name cannot be stored, and returns it when a concurrent attempt stored it first', async () => {
  const { store } = await countStarts();
  const startWith = async (failure: ServiceError) =>
    startIdempotent(
      {
        ...store,
        create: async () => {
          throw failure;
        },
      },
      { org: 'acme', request, payload: {} },
      async () => 'run-1',
    );
  await expect(startWith(new ServiceError('unavailable', 'The store is away.'))).rejects.toThrow('is away');
  expect(await startWith(new ServiceError('already-exists', 'Stored.'))).toBe('run-1');
});
