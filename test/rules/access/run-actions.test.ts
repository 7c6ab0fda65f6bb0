import { expect, it } from 'vitest';
import { failedStepRetryViolation, isRunFinished, runActions } from '../../../src/rules/access/run-actions.ts';
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
])('a step that is %s has the operations %j', (phase, names) => {
  const actions = runActions(run('Running', phase), 'member');
  expect(actions).toEqual([
    ...names.map((name) => ({ name, step: 's', allowed: true })),
    { name: 'cancelRun', allowed: true },
  ]);
});

it.each<StepPhase>(['Waiting', 'NeedsGuidance', 'Rejected', 'Cancelled', 'Succeeded'])(
  'a finished run has no operation on a step that is %s, and cannot be cancelled',
  (phase) => {
    expect(runActions(run('Failed', phase), 'member')).toEqual([
      { name: 'cancelRun', allowed: false, reason: 'state-conflict', message: 'The run is already Failed.' },
    ]);
  },
);

it('a failed step can be retried once its run has failed, and not while other steps are in progress', () => {
  const retry = { name: 'retryStep', step: 's' };
  expect(runActions(run('Failed', 'Failed'), 'member')[0]).toEqual({ ...retry, allowed: true });
  const message = 'The run is Running. Its failed step can be retried once its other steps have ended.';
  const blocked = { ...retry, allowed: false, reason: 'state-conflict', message };
  expect(runActions(run('Running', 'Failed'), 'member')[0]).toEqual(blocked);
  expect(failedStepRetryViolation(run('Running', 'Failed'))).toBe(message);
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
