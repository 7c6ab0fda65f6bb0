import { describe, expect, it } from 'vitest';
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
    steps: [{ name: 'implement', reviewRounds: 1 }, { name: 'code' }, { name: 'tests' }],
  });
});

it('asks a person after the last round, with the summaries of the rejecting reviews', () => {
  expect(judgeReviews(steps, after('changes-requested', 'approved', reviewRoundsMax), reviews)).toEqual({
    next: 'ask-person',
    step: 'implement',
    steps: [{ name: 'implement', reviewRounds: 0 }, { name: 'code' }, { name: 'tests' }],
    summary: 'code: code words',
  });
});

describe('reviews of several steps', () => {
  const change = { type: 'agent', role: 'implementer', mode: 'change' } as const;
  const review = { type: 'agent', role: 'reviewer', mode: 'report', parallel: 'review' } as const;
  const several: StepSpec[] = [
    { name: 'plan', type: 'human' },
    { name: 'implement', ...change },
    { name: 'format', ...change },
    { name: 'document', ...change },
    { name: 'texts', ...review, reviews: 'document' },
    { name: 'code', ...review, reviews: 'implement' },
  ];
  const rejectBoth = (rounds: { implement?: number; document?: number } = {}): StepStatus[] => [
    { name: 'implement', phase: 'Succeeded', reviewRounds: rounds.implement ?? 0 },
    { name: 'document', phase: 'Succeeded', reviewRounds: rounds.document ?? 0 },
    { name: 'texts', phase: 'Succeeded', verdict: { outcome: 'changes-requested', summary: 'text words' } },
    { name: 'code', phase: 'Succeeded', verdict: { outcome: 'changes-requested', summary: 'code words' } },
  ];
  const judge = (statuses: StepStatus[], options?: { onlyFirst: boolean }) =>
    judgeReviews(several, statuses, several.slice(-2), options);
  const repeat = (implement: number, document: number) => [
    { name: 'implement', reviewRounds: implement },
    { name: 'format' },
    { name: 'document', reviewRounds: document },
    { name: 'texts' },
    { name: 'code' },
  ];

  it('repeats every rejected step, from the first one in the order of the steps', () => {
    expect(judge(rejectBoth({ document: 2 }))).toEqual({ next: 'redo', steps: repeat(1, 3) });
  });

  it('repeats the step of the first rejection alone for a run that began so', () => {
    expect(judge(rejectBoth(), { onlyFirst: true })).toEqual({
      next: 'redo',
      steps: [{ name: 'document', reviewRounds: 1 }, { name: 'texts' }, { name: 'code' }],
    });
  });

  it('asks a person about the step whose rounds are used up, and counts a round of the other', () => {
    const summary = 'texts: text words\ncode: code words';
    const step = 'document';
    expect(judge(rejectBoth({ implement: 1, document: reviewRoundsMax }))).toEqual({
      next: 'ask-person',
      step,
      steps: repeat(2, 0),
      summary,
    });
    expect(judge(rejectBoth({ implement: reviewRoundsMax, document: reviewRoundsMax }))).toEqual({
      next: 'ask-person',
      step,
      steps: repeat(1, 0),
      summary,
    });
  });
});
