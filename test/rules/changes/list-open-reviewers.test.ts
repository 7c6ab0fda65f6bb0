import { expect, it } from 'vitest';
import type { StepSpec } from '../../../src/rules/agents/kinds.ts';
import type { StepStatus } from '../../../src/rules/changes/kinds.ts';
import { listOpenReviewers } from '../../../src/rules/changes/list-open-reviewers.ts';
import type { StepRound } from '../../../src/rules/changes/run-records.ts';

const review = { type: 'agent', role: 'reviewer', mode: 'report', reviews: 'implement' } as const;
const steps: StepSpec[] = [
  { name: 'implement', type: 'agent', role: 'implementer', mode: 'change' },
  { name: 'code', ...review },
  { name: 'tests', ...review },
  { name: 'plan', ...review, reviews: 'design' },
  { name: 'merge', type: 'merge' },
];

/** A round that ends at a minute with an outcome, such as `3 done`. */
const toRound = (text: string, index: number): StepRound => {
  const [minute, outcome] = text.split(' ');
  const startedAt = `2026-01-01T00:0${minute}:00.000Z`;
  const result = { finishedAt: `2026-01-01T00:0${minute}:30.000Z`, outcome: outcome as StepRound['outcome'] };
  return { number: index + 1, startedAt, ...(outcome !== 'open' && result) };
};
const list = (rounds: Record<string, string[]>): string[] =>
  listOpenReviewers(
    steps,
    Object.entries(rounds).map(([name, texts]): StepStatus => ({
      name,
      phase: 'Succeeded',
      rounds: texts.map(toRound),
    })),
    'implement',
  );

it('lists the reviewers that gave a verdict on the last result of the step', () => {
  const rounds = { implement: ['1 done'], code: ['2 changes-requested'], tests: ['2 approved'], plan: ['2 approved'] };
  expect(list(rounds)).toEqual(['code', 'tests']);
});

it('leaves out a reviewer whose verdict came before the step passed again', () => {
  const implement = ['1 done', '4 done', '6 open'];
  expect(list({ implement, code: ['2 approved', '5 changes-requested'], tests: ['3 changes-requested'] })).toEqual([
    'code',
  ]);
});

it.each(['failed', 'needs-guidance', 'open'])('keeps a reviewer while the round after its verdict is %s', (outcome) => {
  expect(list({ implement: ['1 done', `4 ${outcome}`], code: ['3 changes-requested'], tests: ['0 approved'] })).toEqual(
    ['code'],
  );
});

it('does not take a failed review for a verdict', () => {
  const tests = ['1 changes-requested', '5 failed'];
  expect(list({ implement: ['0 done', '3 done'], code: ['4 approved'], tests })).toEqual(['code']);
});

it('lists every reviewer of a run that has no rounds', () => {
  expect(list({ implement: [], code: [], tests: ['2 approved'] })).toEqual(['code', 'tests']);
  expect(list({ implement: ['1 done'], code: [] })).toEqual(['code', 'tests']);
});
