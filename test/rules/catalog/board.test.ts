import { expect, it } from 'vitest';
import { boardColumn, lastChanges, type BoardIssue } from '../../../src/rules/catalog/board.ts';
import { catalogAgentWorkflows } from '../../../src/rules/agents/catalog.ts';
import type { AgentWorkflowRun, RunPhase, StepPhase } from '../../../src/rules/changes/kinds.ts';

const open: BoardIssue = { state: 'open', labels: ['bug'] };
const closed: BoardIssue = { state: 'closed', closedAs: 'completed', labels: [] };
const announced = { labels: ['bug', 'service:announced'] };

type Made = {
  name?: string;
  at?: string;
  approval?: StepPhase;
  hasPull?: boolean;
  steps?: AgentWorkflowRun['spec']['steps'];
};
function aRun(phase: RunPhase | undefined, { name = 'run', at = '2026-01-01', approval, hasPull, steps }: Made = {}) {
  const pullRequest = { number: 8, url: '', headSha: '' };
  return {
    metadata: { name, creationTimestamp: at },
    spec: { target: { repo: 'acme/hello', number: 7 }, steps: steps ?? catalogAgentWorkflows.change.steps },
    status: phase && {
      phase,
      ...(hasPull && { pullRequest }),
      steps: approval ? [{ name: 'approve-change', phase: approval }] : [],
    },
  } as AgentWorkflowRun;
}
const ready = { approval: 'Succeeded', hasPull: true } as const;

it.each<[string, BoardIssue, AgentWorkflowRun | undefined, string | undefined]>([
  ['an open issue that nobody has begun', open, undefined, 'Backlog'],
  ['one whose run has just been started', open, aRun(undefined), 'In progress'],
  ['one whose run is going on', open, aRun('Running', { hasPull: true }), 'In progress'],
  ['one whose agent asks for guidance', open, aRun('NeedsGuidance'), 'In progress'],
  ['one whose run waits for a person', open, aRun('WaitingForPerson'), 'Review'],
  ['one whose approved Change is being merged', open, aRun('Running', ready), 'Review'],
  ['one whose approved Change could not be merged', open, aRun('Failed', ready), 'Review'],
  ['one whose run failed before', open, aRun('Failed', { hasPull: true }), 'Backlog'],
  ['one whose Change was rejected', open, aRun('Failed', { approval: 'Rejected', hasPull: true }), 'Backlog'],
  ['one whose run was cancelled', open, aRun('Cancelled', ready), 'Backlog'],
  ['one that was opened again after its merge', open, aRun('Succeeded', ready), 'Backlog'],
  ['a closed one', closed, undefined, 'Done'],
  ['one that its merged Change closed', closed, aRun('Succeeded', ready), 'Done'],
  ['a closed one whose run still goes on', closed, aRun('Running'), 'Done'],
  ['one that nobody will do', { ...closed, closedAs: 'not-planned' }, undefined, undefined],
  ['an announced one', { ...closed, ...announced }, aRun('Succeeded'), undefined],
  ['an announced one that was opened again', { ...open, ...announced }, undefined, undefined],
])('%s', (_, issue, change, column) => {
  expect(boardColumn(issue, change)).toBe(column);
});

it('goes by the last Change of an issue, and by no report about it', () => {
  const report = aRun('Running', {
    name: 'report',
    at: '2026-01-03',
    steps: [...catalogAgentWorkflows['issue-hydration'].steps],
  });
  const runs = [aRun('Running', { name: 'second', at: '2026-01-02' }), aRun('Failed', { name: 'first' }), report];
  expect(lastChanges(runs).get('acme/hello#7')?.metadata.name).toBe('second');
  expect(lastChanges([report]).size).toBe(0);
});
