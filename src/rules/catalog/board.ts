import type { AgentWorkflowRun } from '../changes/kinds.ts';
import { runEnded } from '../changes/run-status.ts';

export const boardColumns = ['Backlog', 'In progress', 'Review', 'Done'] as const;
export type BoardColumn = (typeof boardColumns)[number];

/** Issues with this label have been announced: they are done with, and off the board. */
export const announcedLabel = 'service:announced';

export type BoardIssue = {
  state: 'open' | 'closed';
  closedAs?: 'completed' | 'not-planned' | undefined;
  labels: string[];
};

/** Where an issue stands, by the code host's word and its last Change; nowhere when it is off the board. */
export function boardColumn(issue: BoardIssue, change: AgentWorkflowRun | undefined): BoardColumn | undefined {
  if (issue.labels.includes(announcedLabel)) return undefined;
  if (issue.state === 'closed') return issue.closedAs === 'not-planned' ? undefined : 'Done';
  if (!change) return 'Backlog';
  const phase = change.status?.phase ?? 'Pending';
  const isOver = phase === 'Succeeded' || phase === 'Cancelled';
  if (phase === 'WaitingForPerson' || (!isOver && isReady(change))) return 'Review';
  return runEnded(phase) ? 'Backlog' : 'In progress';
}

/** Its pull request has been put before a person, and was not rejected. */
function isReady({ spec, status }: AgentWorkflowRun): boolean {
  const humans = new Set(spec.steps.filter(({ type }) => type === 'human').map(({ name }) => name));
  return (
    status?.pullRequest !== undefined &&
    status.steps.some(({ name, phase }) => humans.has(name) && phase === 'Succeeded')
  );
}

/** The last run about each issue that is a Change; reports are no progress of the issue itself. */
export function lastChanges(runs: readonly AgentWorkflowRun[]): Map<string, AgentWorkflowRun> {
  const last = new Map<string, AgentWorkflowRun>();
  for (const run of runs) {
    const { target, steps } = run.spec;
    if (!target || !steps.some((step) => step.type === 'agent' && step.mode === 'change')) continue;
    const key = issueKey(target);
    const before = last.get(key);
    if (!before || before.metadata.creationTimestamp <= run.metadata.creationTimestamp) last.set(key, run);
  }
  return last;
}

export const issueKey = ({ repo, number }: { repo: string; number: number }): string => `${repo}#${number}`;
