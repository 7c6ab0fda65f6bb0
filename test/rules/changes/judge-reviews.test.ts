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
const after = (code: Verdict['outcome'], tests: Verdict['outcome'], rounds?: number): StepStatus[] => [
  { name: 'implement', phase: 'Succeeded', ...(rounds === undefined ? {} : { rounds }) },
  { name: 'code', phase: 'Succeeded', verdict: { outcome: code, summary: 'code words' } },
  { name: 'tests', phase: 'Succeeded', verdict: { outcome: tests, summary: 'test words' } },
];

it('goes on when every reviewer approves', () => {
  expect(judgeReviews(steps, after('approved', 'approved'), reviews)).toEqual({ next: 'go-on' });
});

it('one objection sends the work back, and every review is asked again', () => {
  expect(judgeReviews(steps, after('approved', 'changes-requested'), reviews)).toEqual({
    next: 'again',
    step: 'implement',
    repeat: ['code', 'tests'],
  });
});

it('a person is asked after the last round, with the words of those who objected', () => {
  expect(judgeReviews(steps, after('changes-requested', 'approved', reviewRoundsMax), reviews)).toEqual({
    next: 'ask-a-person',
    step: 'implement',
    repeat: ['code', 'tests'],
    summary: 'code: code words',
  });
});
