import { expect, it } from 'vitest';
import { findEarlierAttempt } from '../../../api/temporal/find-earlier-attempt.ts';
import { createStartingTemporal } from './start-fixture.ts';

const request = { id: 'r1', hasIdempotencyKey: true };

it.each([
  ['the execution of the same request', { startedBy: 'r1' }, request, true],
  ['none of another request', { startedBy: 'r2' }, request, false],
  ['none when no workflow has the id', undefined, request, false],
  ['none for a request without a key', { startedBy: 'r1' }, { ...request, hasIdempotencyKey: false }, false],
])('finds %s', async (_, running, identity, isFound) => {
  const { temporal } = createStartingTemporal({}, running);
  expect((await findEarlierAttempt(temporal, 'any', identity)) !== undefined).toBe(isFound);
});

it('takes no fault for a workflow that does not exist', async () => {
  const { temporal } = createStartingTemporal({}, { startedBy: 'r1' });
  const describe = async () => await Promise.reject(new Error('A fault.'));
  Object.assign(temporal.workflow.getHandle('any'), { describe });
  await expect(findEarlierAttempt(temporal, 'any', request)).rejects.toThrow('A fault.');
});
