import type { AgentWorkflowRun } from '../changes/kinds.ts';
import { isTerminalRunPhase } from '../changes/run-status.ts';

export const boardColumns = ['Backlog', 'In progress', 'Review', 'Done'] as const;
export type BoardColumn = (typeof boardColumns)[number];

/** Issues with this label are announced and leave the board. */
export const announcedLabel = 'service:announced';

export type BoardIssue = {
  state: 'open' | 'closed';
  closeReason?: 'completed' | 'not-planned' | undefined;
  labels: string[];
};

/** Returns the column of an issue by its state and its latest Change; undefined when it is not on the board. */
export function findBoardColumn(issue: BoardIssue, change: AgentWorkflowRun | undefined): BoardColumn | undefined {
  if (issue.labels.includes(announcedLabel)) return undefined;
  if (issue.state === 'closed') return issue.closeReason === 'not-planned' ? undefined : 'Done';
  if (!change) return 'Backlog';
  const phase = change.status?.phase ?? 'Pending';
  const isDone = phase === 'Succeeded' || phase === 'Cancelled';
  if (phase === 'WaitingForPerson' || (!isDone && isApproved(change))) return 'Review';
  return isTerminalRunPhase(phase) ? 'Backlog' : 'In progress';
}

/** A person has approved the pull request of the run. */
function isApproved({ spec, status }: AgentWorkflowRun): boolean {
  const humans = new Set(spec.steps.filter(({ type }) => type === 'human').map(({ name }) => name));
  return (
    status?.pullRequest !== undefined &&
    status.steps.some(({ name, phase }) => humans.has(name) && phase === 'Succeeded')
  );
}

/** Maps each issue to its latest Change; a run that only reports is not progress of the issue. */
export function latestChangeByIssue(runs: readonly AgentWorkflowRun[]): Map<string, AgentWorkflowRun> {
  const latest = new Map<string, AgentWorkflowRun>();
  for (const run of runs) {
    const { target, steps } = run.spec;
    if (!target || !steps.some((step) => step.type === 'agent' && step.mode === 'change')) continue;
    const key = issueKey(target);
    const earlier = latest.get(key);
    if (!earlier || earlier.metadata.creationTimestamp <= run.metadata.creationTimestamp) latest.set(key, run);
  }
  return latest;
}

export const issueKey = ({ repo, number }: { repo: string; number: number }): string => `${repo}#${number}`;
