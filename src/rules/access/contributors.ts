import type { AgentWorkflowRun } from '../changes/kinds.ts';
import { codehostStarter, findTargetPullRequest } from '../changes/run-names.ts';
import type { Release } from '../releases/kinds.ts';

/** The people whose work a Change or a Release is. None of them may approve it in an org that requires a second person. */
export type Contributors = {
  emails: string[];
  /** Accounts on the code host. */
  logins: string[];
  /** True when an event started it and the code host did not name the accounts behind the event. */
  hasUnknownStarter: boolean;
  /** True when the code host does not say who made or pushed a commit that no agent made. */
  hasUnknownCommitter: boolean;
};

/** Returns who started a Change, who guided its agents, whose event or pull request it is, and who committed to it. */
export function listRunContributors({ spec, status }: Pick<AgentWorkflowRun, 'spec' | 'status'>): Contributors {
  const { startedBy, cause, target } = spec;
  const { pullRequest, committers } = status ?? {};
  const isStartedByEvent = startedBy === codehostStarter;
  const people = cause?.people ?? [];
  const author = findTargetPullRequest(target) === undefined ? undefined : status?.issue?.author;
  return {
    emails: [...(isStartedByEvent ? [] : [startedBy]), ...(status?.guidedBy ?? [])],
    logins: [...new Set([...people, ...(author === undefined ? [] : [author]), ...(committers?.logins ?? [])])],
    hasUnknownStarter: isStartedByEvent && cause?.people === undefined,
    hasUnknownCommitter:
      pullRequest !== undefined && (committers?.headSha !== pullRequest.headSha || committers.hasUnknown),
  };
}

/**
 * Returns who started a Release, and started it again after it had failed, together with the contributors of the Change
 * whose merge started it.
 */
export function listReleaseContributors(
  { spec, status }: Pick<Release, 'spec' | 'status'>,
  run: AgentWorkflowRun | undefined,
): Contributors {
  const starters = new Set([spec.startedBy, status?.startedBy ?? spec.startedBy]);
  const isUnknown = starters.delete(codehostStarter);
  if (!run) return { emails: [...starters], logins: [], hasUnknownStarter: isUnknown, hasUnknownCommitter: false };
  const { emails, ...others } = listRunContributors(run);
  return { ...others, emails: [...emails, ...starters] };
}
