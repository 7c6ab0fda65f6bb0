import { expect, it } from 'vitest';
import { findWaitingSteps } from '../../../src/rules/changes/find-waiting-steps.ts';
import type { RunPhase, StepStatus } from '../../../src/rules/changes/kinds.ts';

const since = '2026-11-20T10:00:00.000Z';
const steps: StepStatus[] = [
  { name: 'write', phase: 'NeedsGuidance' },
  { name: 'review', phase: 'Running' },
  { name: 'approve', phase: 'Waiting' },
  { name: 'checks', phase: 'Running', waitingFor: { role: 'codehost', since } },
  { name: 'merge', phase: 'Running', waitingFor: { role: 'member', since } },
  { name: 'done', phase: 'Succeeded' },
];
const names = (phase: RunPhase): string[] => findWaitingSteps({ status: { phase, steps } }).map(({ name }) => name);

it('returns the steps that need a person, and not those that wait for the code host', () => {
  for (const phase of ['WaitingForPerson', 'NeedsGuidance', 'Running'] as const)
    expect(names(phase)).toEqual(['write', 'approve', 'merge']);
});

it('returns no step of a run that has finished or not started', () => {
  for (const phase of ['Pending', 'Succeeded', 'Failed', 'Cancelled'] as const) expect(names(phase)).toEqual([]);
  expect(findWaitingSteps({})).toEqual([]);
});
