import { expect, it } from 'vitest';
import type { AgentWorkflowRun, RunStatus, StepStatus } from '../../../src/rules/changes/kinds.ts';
import { explainRun } from '../../../src/rules/explain/explain-run.ts';

const at = '2026-01-01T00:00:00.000Z';
const failure = {
  reason: 'merge-conflict' as const,
  message: 'It conflicts.',
  resource: 'step merge',
  fix: 'Fix it.',
  at,
};
const explain = (status: Partial<RunStatus>, ...steps: Partial<StepStatus>[]) =>
  explainRun({
    spec: { agentWorkflow: 'change', product: 'hello', target: { repo: 'acme/hello', number: 12 } },
    status: { phase: 'Running', ...status, steps: steps.map((step) => ({ name: 'one', phase: 'Pending', ...step })) },
  } as AgentWorkflowRun);

it.each<[string, Partial<StepStatus>, object]>([
  [
    'failed',
    { phase: 'Failed', failure },
    { state: 'failed', rule: 'merge-conflict', message: 'It conflicts.', fix: 'Fix it.' },
  ],
  [
    'waiting for approval',
    { phase: 'Waiting', waitingFor: { role: 'member', since: at, message: 'approve or reject the Change' } },
    {
      state: 'waiting',
      rule: 'person',
      message: 'approve or reject the Change',
      fix: expect.stringContaining('Approve or reject'),
    },
  ],
  [
    'waiting for guidance',
    { phase: 'NeedsGuidance', verdict: { outcome: 'needs-guidance', summary: 'Which colour?' } },
    { state: 'waiting', rule: 'needs-guidance', message: 'Which colour?' },
  ],
  [
    'waiting for checks of the code host',
    { phase: 'Running', waitingFor: { role: 'codehost', since: at, until: at, message: 'The check "ci" is running.' } },
    { state: 'waiting', rule: 'codehost-rules', message: 'The check "ci" is running.' },
  ],
  [
    'retrying',
    { phase: 'Running', retrying: { message: 'The model is overloaded.', attempt: 3, nextAt: at } },
    { state: 'waiting', rule: 'retrying', message: 'The model is overloaded.' },
  ],
  ['running', { phase: 'Running' }, { state: 'running', rule: 'step-running' }],
])('explains a step that is %s', (_, step, expected) => {
  const [item, ...others] = explain({}, { phase: 'Succeeded' }, step);
  expect(item).toMatchObject(expected);
  expect(others).toEqual([]);
  expect(item?.facts).toEqual(
    expect.arrayContaining([
      { name: 'target', value: 'acme/hello#12' },
      { name: 'step', value: 'one' },
    ]),
  );
});

it('explains each step of a parallel group', () => {
  expect(explain({}, { phase: 'Running' }, { phase: 'Failed', failure })).toHaveLength(2);
});

it('explains a run without such a step by its phase or its failure', () => {
  expect(explain({ phase: 'Succeeded', finishedAt: at })).toMatchObject([{ state: 'done', rule: 'run-Succeeded' }]);
  expect(explain({ phase: 'Cancelled', finishedAt: at })).toMatchObject([{ state: 'nothing', rule: 'run-Cancelled' }]);
  expect(explain({ phase: 'Failed', finishedAt: at, failure })).toMatchObject([{ state: 'failed', fix: 'Fix it.' }]);
  expect(explain({ phase: 'Pending' })).toMatchObject([{ state: 'running' }]);
});
