import { expect, it } from 'vitest';
import type { StepPhase } from '../../../src/rules/changes/kinds.ts';
import {
  createRunStatus,
  isTerminalRunPhase,
  patchRunStatus,
  toActivePhase,
} from '../../../src/rules/changes/run-status.ts';

const at = '2026-01-01T00:00:00.000Z';
const status = createRunStatus(
  [
    { name: 'build', type: 'agent', role: 'dev', mode: 'change' },
    { name: 'approve', type: 'human' },
  ],
  at,
);

it('starts with pending steps', () => {
  expect(status).toEqual({
    phase: 'Pending',
    startedAt: at,
    steps: [
      { name: 'build', phase: 'Pending' },
      { name: 'approve', phase: 'Pending' },
    ],
  });
});

it('patches the run and the named steps, field by field', () => {
  const patched = patchRunStatus(status, { phase: 'Running', steps: [{ name: 'build', phase: 'Running', turns: 1 }] });
  expect(patched).toEqual({
    phase: 'Running',
    startedAt: at,
    steps: [
      { name: 'build', phase: 'Running', turns: 1 },
      { name: 'approve', phase: 'Pending' },
    ],
  });
});

it('removes a field that is null, and is idempotent', () => {
  const running = patchRunStatus(status, { steps: [{ name: 'build', startedAt: at }] });
  const patch = { startedAt: null, steps: [{ name: 'build', startedAt: null }] };
  const once = patchRunStatus(running, patch);
  expect(once).not.toHaveProperty('startedAt');
  expect(once.steps[0]).toEqual({ name: 'build', phase: 'Pending', rounds: [{ number: 1, startedAt: at }] });
  expect(patchRunStatus(once, patch)).toEqual(once);
});

it('ignores a step that does not exist', () => {
  expect(patchRunStatus(status, { steps: [{ name: 'other', phase: 'Running' }] })).toEqual(status);
});

it.each<[StepPhase[], string]>([
  [['Running', 'Pending'], 'Running'],
  [['Running', 'Waiting'], 'WaitingForPerson'],
  [['Waiting', 'NeedsGuidance'], 'NeedsGuidance'],
  [['Succeeded'], 'Running'],
])('the phase of a run with the steps %j is %s', (phases, expected) => {
  expect(toActivePhase(phases.map((phase, index) => ({ name: String(index), phase })))).toBe(expected);
});

it('knows the phases in which a run has finished', () => {
  const phases = [
    'Pending',
    'Running',
    'WaitingForPerson',
    'NeedsGuidance',
    'Succeeded',
    'Failed',
    'Cancelled',
  ] as const;
  expect(phases.filter(isTerminalRunPhase)).toEqual(['Succeeded', 'Failed', 'Cancelled']);
});
