import { expect, it } from 'vitest';
import { isRunFinished, runActions } from '../../../src/rules/access/run-actions.ts';
import { AgentWorkflowRunKind, runPhases, type RunPhase, type StepPhase } from '../../../src/rules/changes/kinds.ts';
import { buildResource } from '../build-resource.ts';

const spec = { agentWorkflow: 'change', product: 'shop', startedBy: 'jo', steps: [], roles: {} };
const run = (phase: RunPhase, step: StepPhase = 'Pending') =>
  buildResource(AgentWorkflowRunKind, { spec, status: { phase, steps: [{ name: 's', phase: step }] } });

it.each<[StepPhase, string[]]>([
  ['Pending', []],
  ['Running', []],
  ['Waiting', ['approveStep', 'rejectStep']],
  ['NeedsGuidance', ['guideStep', 'retryStep']],
  ['Failed', ['retryStep']],
])('a step that is %s has the operations %j', (phase, names) => {
  const actions = runActions(run('Running', phase), 'member');
  expect(actions).toEqual([
    ...names.map((name) => ({ name, step: 's', allowed: true })),
    { name: 'cancelRun', allowed: true },
  ]);
});

it('a finished run has no operations on steps and cannot be cancelled', () => {
  expect(runActions(run('Failed', 'Failed'), 'member')).toEqual([
    { name: 'cancelRun', allowed: false, reason: 'state-conflict', message: 'The run is already Failed.' },
  ]);
});

it('a viewer sees the operations but may not call them', () => {
  expect(runActions(run('WaitingForPerson', 'Waiting'), 'viewer').map(({ allowed }) => allowed)).toEqual([
    false,
    false,
    false,
  ]);
});

it('knows the phases in which a run has finished', () => {
  expect(runPhases.filter((phase) => isRunFinished(run(phase)))).toEqual(['Succeeded', 'Failed', 'Cancelled']);
  expect(isRunFinished(buildResource(AgentWorkflowRunKind, { spec }))).toBe(false);
});
