import { describe, expect, it } from 'vitest';
import type { StepSpec } from '../../../src/rules/agents/kinds.ts';
import type { StepPhase, StepStatus } from '../../../src/rules/changes/kinds.ts';
import { listAgentStepsBetween, nextSteps, findConflictResolver } from '../../../src/rules/changes/next-steps.ts';

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
    { title: 'starts with the first step', phases: [], next: ['implement'] },
    { title: 'runs the steps of a group together', phases: ['Succeeded'], next: ['review-code', 'review-tests'] },
    {
      title: 'repeats only the open steps of a group',
      phases: ['Succeeded', 'Succeeded', 'Pending'],
      next: ['review-tests'],
    },
    {
      title: 'treats a skipped step as passed',
      phases: ['Succeeded', 'Succeeded', 'Succeeded', 'Succeeded', 'Skipped'],
      next: ['merge'],
    },
    {
      title: 'returns to an approval that was withdrawn',
      phases: ['Succeeded', 'Succeeded', 'Succeeded', 'Pending', 'Succeeded'],
      next: ['approve'],
    },
    {
      title: 'ends after the last step',
      phases: ['Succeeded', 'Succeeded', 'Succeeded', 'Succeeded', 'Skipped', 'Succeeded'],
      next: [],
    },
  ] as { title: string; phases: StepPhase[]; next: string[] }[])('$title', ({ phases, next }) => {
    expect(names(at(...phases))).toEqual(next);
  });
});

it('finds the last step before the merge that resolves conflicts', () => {
  expect(findConflictResolver(steps, 'merge')?.name).toBe('resolve');
  const later: StepSpec = { name: 'document', type: 'agent', role: 'writer', mode: 'change' };
  const withLater = [...steps.slice(0, -1), later, ...steps.slice(-1)];
  expect(findConflictResolver(withLater, 'merge')?.name).toBe('resolve');
  expect(
    findConflictResolver(
      steps.filter(({ name }) => name !== 'resolve'),
      'merge',
    ),
  ).toBeUndefined();
});

it('lists the agent steps between the resolver and the merge, without human steps', () => {
  const agent = { type: 'agent' as const, role: 'r', mode: 'report' as const };
  const names = ['implement', 'resolve', 'check', 'ask', 'merge'];
  const all: StepSpec[] = names.map((name) =>
    name === 'ask' ? { name, type: 'human' } : name === 'merge' ? { name, type: 'merge' } : { name, ...agent },
  );
  expect(listAgentStepsBetween(all, { from: 'resolve', to: 'merge' })).toEqual(['check']);
});
