import { expect, it } from 'vitest';
import type { StepSpec } from '../../../src/rules/agents/kinds.ts';
import type { StepStatus, Verdict } from '../../../src/rules/changes/kinds.ts';
import { judgeReviews, reviewRoundsMax } from '../../../src/rules/changes/judge-reviews.ts';

const steps: StepSpec[] = [
  { name: 'implement', type: 'agent', role: 'implementer', mode: 'change' },
  { name: 'code', type: 'agent', role: 'reviewer', mode: 'report', reviews: 'implement', parallel: 'review' },
  { name: 'tests', type: 'agent', role: 'reviewer', mode: 'report', reviews: 'implement', parallel: 'review' },
];
const reviews = steps.slice(1);
const after = (code: Verdict['outcome'], tests: Verdict['outcome'], reviewRounds?: number): StepStatus[] => [
  { name: 'implement', phase: 'Succeeded', ...(reviewRounds === undefined ? {} : { reviewRounds }) },
  { name: 'code', phase: 'Succeeded', verdict: { outcome: code, summary: 'code words' } },
  { name: 'tests', phase: 'Succeeded', verdict: { outcome: tests, summary: 'test words' } },
];

it('continues when every review approves', () => {
  expect(judgeReviews(steps, after('approved', 'approved'), reviews)).toEqual({ next: 'continue' });
});

it('repeats the reviewed step and every review when one review requests changes', () => {
  expect(judgeReviews(steps, after('approved', 'changes-requested'), reviews)).toEqual({
    next: 'redo',
    step: 'implement',
    stepsToRepeat: ['code', 'tests'],
  });
});

it('asks a person after the last round, with the summaries of the rejecting reviews', () => {
  expect(judgeReviews(steps, after('changes-requested', 'approved', reviewRoundsMax), reviews)).toEqual({
    next: 'ask-person',
    step: 'implement',
    stepsToRepeat: ['code', 'tests'],
    summary: 'code: code words',
  });
});
