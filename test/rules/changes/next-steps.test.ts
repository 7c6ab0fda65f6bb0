import { describe, expect, it } from 'vitest';
import type { StepSpec } from '../../../src/rules/agents/kinds.ts';
import type { StepPhase, StepStatus } from '../../../src/rules/changes/kinds.ts';
import { agentsBetween, nextSteps, resolverBefore } from '../../../src/rules/changes/next-steps.ts';

const steps: StepSpec[] = [
  { name: 'implement', type: 'agent', role: 'implementer', mode: 'change' },
  { name: 'review-code', type: 'agent', role: 'reviewer', mode: 'report', reviews: 'implement', parallel: 'review' },
  { name: 'review-tests', type: 'agent', role: 'reviewer', mode: 'report', reviews: 'implement', parallel: 'review' },
  { name: 'approve', type: 'human' },
  { name: 'resolve', type: 'agent', role: 'resolver', mode: 'change', when: { pullRequest: { conflicted: true } } },
  { name: 'merge', type: 'merge' },
];
const at = (...phases: StepPhase[]): StepStatus[] =>
  steps.map(({ name }, index) => ({ name, phase: phases[index] ?? 'Pending' }));
const names = (statuses: StepStatus[]): string[] => nextSteps(steps, statuses).map(({ name }) => name);

describe('nextSteps', () => {
  it.each([
    { title: 'begins with the first', phases: [], next: ['implement'] },
    { title: 'runs the steps of a group together', phases: ['Succeeded'], next: ['review-code', 'review-tests'] },
    {
      title: 'repeats only what is open of a group',
      phases: ['Succeeded', 'Succeeded', 'Pending'],
      next: ['review-tests'],
    },
    {
      title: 'takes a skipped step for passed',
      phases: ['Succeeded', 'Succeeded', 'Succeeded', 'Succeeded', 'Skipped'],
      next: ['merge'],
    },
    {
      title: 'goes back to an approval that was taken away',
      phases: ['Succeeded', 'Succeeded', 'Succeeded', 'Pending', 'Succeeded'],
      next: ['approve'],
    },
    {
      title: 'ends after the last',
      phases: ['Succeeded', 'Succeeded', 'Succeeded', 'Succeeded', 'Skipped', 'Succeeded'],
      next: [],
    },
  ] as { title: string; phases: StepPhase[]; next: string[] }[])('$title', ({ phases, next }) => {
    expect(names(at(...phases))).toEqual(next);
  });
});

it('a conflict goes back to the latest step before the merge that waits for one', () => {
  expect(resolverBefore(steps, 'merge')?.name).toBe('resolve');
  expect(
    resolverBefore(
      steps.filter(({ name }) => name !== 'resolve'),
      'merge',
    ),
  ).toBeUndefined();
});

it('agents between the resolver and the merge look again, people do not', () => {
  const agent = { type: 'agent' as const, role: 'r', mode: 'report' as const };
  const names = ['implement', 'resolve', 'check', 'ask', 'merge'];
  const all: StepSpec[] = names.map((name) =>
    name === 'ask' ? { name, type: 'human' } : name === 'merge' ? { name, type: 'merge' } : { name, ...agent },
  );
  expect(agentsBetween(all, { from: 'resolve', to: 'merge' })).toEqual(['check']);
});
