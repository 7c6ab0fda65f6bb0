import { expect, it } from 'vitest';
import { startIdempotent } from '../../../api/temporal/start-idempotent.ts';
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
  return { start };
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
