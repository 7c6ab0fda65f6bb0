import type { RunTarget } from './kinds.ts';

/** A run's name, readable and the same whenever the same start is tried again; `seed` is unique to the start at its end: ids begin with the time. */
export function runName(start: { agentWorkflow: string; product: string; target?: RunTarget; seed: string }): string {
  const about = start.target ? `${start.product}-${start.target.number}` : start.product;
  return `${start.agentWorkflow}-${about}-${start.seed.slice(-8)}`;
}

/** The pull request that a run is about and commits to; other runs open one of their own. */
export const givenPullRequest = (target: RunTarget | undefined): number | undefined =>
  target?.kind === 'pull-request' ? target.number : undefined;

/** The branch of the code host that holds a run's work, where it was not given a pull request. */
export const runBranch = (run: string): string => `service/${run}`;

/** Carries the id of the workflow that owns a run or Release, for whoever wants to speak to it. */
export const workflowIdAnnotation = 'service.delivery/workflow-id';
/** On a Release: the run whose merge started it. */
export const runLabel = 'service.delivery/run';
