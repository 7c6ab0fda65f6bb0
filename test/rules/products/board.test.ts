import { expect, it } from 'vitest';
import { findBoardColumn, latestChangeByIssue, type BoardIssue } from '../../../src/rules/products/board.ts';
import { defaultAgentWorkflows } from '../../../src/rules/agents/default-workflows.ts';
import type { AgentWorkflowRun, RunPhase, StepPhase } from '../../../src/rules/changes/kinds.ts';

const open: BoardIssue = { state: 'open', labels: ['bug'] };
const closed: BoardIssue = { state: 'closed', closeReason: 'completed', labels: [] };
const announced = { labels: ['bug', 'service:announced'] };

type RunOptions = {
  name?: string;
  at?: string;
  approval?: StepPhase;
  hasPull?: boolean;
  steps?: AgentWorkflowRun['spec']['steps'];
};
function aRun(
  phase: RunPhase | undefined,
  { name = 'run', at = '2026-01-01', approval, hasPull, steps }: RunOptions = {},
) {
  const pullRequest = { number: 8, url: '', headSha: '' };
  return {
    metadata: { name, creationTimestamp: at },
    spec: { target: { repo: 'acme/hello', number: 7 }, steps: steps ?? defaultAgentWorkflows.change.steps },
    status: phase && {
      phase,
      ...(hasPull && { pullRequest }),
      steps: approval ? [{ name: 'approve-change', phase: approval }] : [],
    },
  } as AgentWorkflowRun;
}
const approved = { approval: 'Succeeded', hasPull: true } as const;

it.each<[string, BoardIssue, AgentWorkflowRun | undefined, string | undefined]>([
  ['an open issue without a run', open, undefined, 'Backlog'],
  ['one with a run that has just started', open, aRun(undefined), 'In progress'],
  ['one with a run in progress', open, aRun('Running', { hasPull: true }), 'In progress'],
  ['one with a run that needs guidance', open, aRun('NeedsGuidance'), 'In progress'],
  ['one with a run that waits for a person', open, aRun('WaitingForPerson'), 'Review'],
  ['one with an approved Change in progress', open, aRun('Running', approved), 'Review'],
  ['one with an approved Change that failed to merge', open, aRun('Failed', approved), 'Review'],
  ['one with a run that failed before the approval', open, aRun('Failed', { hasPull: true }), 'Backlog'],
  ['one with a rejected Change', open, aRun('Failed', { approval: 'Rejected', hasPull: true }), 'Backlog'],
  ['one with a cancelled run', open, aRun('Cancelled', approved), 'Backlog'],
  ['one that was reopened after the merge', open, aRun('Succeeded', approved), 'Backlog'],
  ['a closed issue', closed, undefined, 'Done'],
  ['an issue that the merge closed', closed, aRun('Succeeded', approved), 'Done'],
  ['a closed issue with a run in progress', closed, aRun('Running'), 'Done'],
  ['an issue that is closed as not planned', { ...closed, closeReason: 'not-planned' }, undefined, undefined],
  ['an announced issue', { ...closed, ...announced }, aRun('Succeeded'), undefined],
  ['an announced issue that was reopened', { ...open, ...announced }, undefined, undefined],
])('finds the column of %s', (_, issue, change, column) => {
  expect(findBoardColumn(issue, change)).toBe(column);
});

it('uses the latest Change of an issue, not its reports', () => {
  const report = aRun('Running', {
    name: 'report',
    at: '2026-01-03',
    steps: [...defaultAgentWorkflows['issue-hydration'].steps],
  });
  const runs = [aRun('Running', { name: 'second', at: '2026-01-02' }), aRun('Failed', { name: 'first' }), report];
  expect(latestChangeByIssue(runs).get('acme/hello#7')?.metadata.name).toBe('second');
  expect(latestChangeByIssue([report]).size).toBe(0);
});
