import type { RunTarget } from './kinds.ts';

/** Builds a readable run name that is the same when a start is retried. Ids begin with the time, so only the end of `seed` is unique. */
export function runName(start: { agentWorkflow: string; product: string; target?: RunTarget; seed: string }): string {
  const subject = start.target ? `${start.product}-${start.target.number}` : start.product;
  return `${start.agentWorkflow}-${subject}-${start.seed.slice(-8)}`;
}

/** The `startedBy` of runs that a `cron` trigger starts; it cannot be the e-mail address of a person. */
export const scheduleStarter = 'schedule';

/** The `startedBy` of runs that an event of the code host starts; `cause` names the people behind it. */
export const codehostStarter = 'code host';

/** Returns the pull request that a run commits to; a run without one opens its own. */
export const findTargetPullRequest = (target: RunTarget | undefined): number | undefined =>
  target?.kind === 'pull-request' ? target.number : undefined;

/** The branch for the commits of a run that does not start from a pull request. */
export const runBranch = (run: string): string => `service/${run}`;

/** Holds the id of the workflow that owns a run or Release, so that the API can send it updates. */
export const workflowIdAnnotation = 'service.delivery/workflow-id';
/** A label on a Release that names the run whose merge started it. */
export const runLabel = 'service.delivery/run';
