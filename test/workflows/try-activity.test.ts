import { ActivityFailure, ApplicationFailure, CancelledFailure, RetryState } from '@temporalio/common';
import { expect, it } from 'vitest';
import { tryActivity } from '../../workflows/try-activity.ts';

const toActivityFailure = (cause: Error): ActivityFailure =>
  new ActivityFailure('it failed', 'sweepDomains', '1', RetryState.NON_RETRYABLE_FAILURE, 'worker', cause);
const fail = (error: Error) => async (): Promise<never> => await Promise.reject(error);

it('returns the result, and undefined for a refusal', async () => {
  expect(await tryActivity(async () => 'done')).toBe('done');
  const refusal = toActivityFailure(ApplicationFailure.nonRetryable('A policy refuses it.'));
  expect(await tryActivity(fail(refusal))).toBeUndefined();
});

it.each([
  ['a cancellation', toActivityFailure(new CancelledFailure('cancelled'))],
  ['a fault of the workflow', new TypeError('a fault')],
])('throws %s', async (_, error) => {
  await expect(tryActivity(fail(error))).rejects.toBe(error);
});
