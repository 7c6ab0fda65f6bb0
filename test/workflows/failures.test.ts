import { ActivityFailure, ApplicationFailure, CancelledFailure, ChildWorkflowFailure } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import {
  activityFailureMessage,
  conflictFailure,
  toApplicationFailure,
  toErrorCode,
} from '../../workflows/failures.ts';

const refusal = ApplicationFailure.nonRetryable('The branch does not exist.', 'not-found');
const wrap = (cause: Error): ActivityFailure =>
  new ActivityFailure('Activity task failed', 'mergePullRequest', '1', 'NON_RETRYABLE_FAILURE', 'worker', cause);
const child = new ChildWorkflowFailure(
  undefined,
  { workflowId: 'w', runId: 'r' },
  'resolveConflicts',
  'NON_RETRYABLE_FAILURE',
  wrap(refusal),
);

describe('toApplicationFailure', () => {
  it.each([
    ['an activity failure', wrap(refusal), 'The branch does not exist.', 'not-found'],
    ['the activity failure of a child', child, 'The branch does not exist.', 'not-found'],
    ['another error', new Error('Unexpected.'), 'Unexpected.', 'fault'],
    ['a thrown value', 'text', 'text', 'fault'],
  ])('returns the cause of %s', (_kind, error, message, type) => {
    expect(toApplicationFailure(error)).toMatchObject({ message, type, nonRetryable: true });
  });
});

describe('activityFailureMessage', () => {
  it('returns the message of the activity', () => {
    expect(activityFailureMessage(wrap(refusal))).toBe('The branch does not exist.');
  });

  it.each([new CancelledFailure('cancelled'), wrap(new CancelledFailure('cancelled')), new Error('Unexpected.')])(
    'rethrows %s',
    (error) => {
      expect(() => activityFailureMessage(error)).toThrow(error);
    },
  );
});

it('conflictFailure carries the reason as its type', () => {
  expect(conflictFailure('zone-frozen', 'ada froze it.')).toMatchObject({
    type: 'zone-frozen',
    message: 'ada froze it.',
    nonRetryable: true,
  });
});

it.each([
  ['zone-frozen', 'conflict'],
  ['model-provider-key-rejected', 'forbidden'],
  ['fault', undefined],
])('toErrorCode: %s → %s', (type, code) => {
  expect(toErrorCode(ApplicationFailure.nonRetryable('', type))).toBe(code);
});
