import { expect, it } from 'vitest';
import { type CheckResult, findMergeBlockers, type ReviewDecision } from '../../../src/rules/changes/merge-blockers.ts';

const ci = (...states: CheckResult['state'][]): CheckResult[] => states.map((state) => ({ name: 'ci', state }));

it.each<[string, CheckResult[], ReviewDecision, string | undefined, boolean]>([
  ['passed checks and reviews', ci('passed'), 'approved', undefined, false],
  ['another check', [{ name: 'lint', state: 'passed' }], 'not-required', 'has not started.', false],
  ['a running check', ci('pending'), 'not-required', 'is running.', false],
  ['a failed check', ci('failed'), 'not-required', 'has failed.', true],
  ['two runs, one of which failed', ci('pending', 'failed'), 'not-required', 'has failed.', true],
  ['two runs, one of which is running', ci('passed', 'pending'), 'not-required', 'is running.', false],
])('finds what blocks a merge with %s', (_, results, review, text, needsPerson) => {
  const blockers = findMergeBlockers({ requiredChecks: ['ci', 'ci'], results, review });
  expect(blockers).toEqual(text && { message: `The required check "ci" ${text}`, needsPerson });
});

it.each<[ReviewDecision, string]>([
  ['required', 'An approving review on the code host is required.'],
  ['changes-requested', 'A reviewer on the code host requested changes.'],
])('asks people when a review is %s', (review, message) => {
  expect(findMergeBlockers({ requiredChecks: [], results: [], review })).toEqual({ message, needsPerson: true });
});
