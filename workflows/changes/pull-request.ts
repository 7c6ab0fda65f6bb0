import { condition, proxyActivities, sleep } from '@temporalio/workflow';
import type { PullRequestFacts } from '../../activities/changes/change-activities.ts';
import type { Activities } from '../../activities/index.ts';
import { defined } from '../../src/defined.ts';
import type { RunPatch } from '../../src/rules/changes/run-patch.ts';
import { externalApiOptions } from '../activity-options.ts';
import type { RunState } from './run-state.ts';
import { hasTargetPullRequest } from './run-target.ts';

const { openPullRequest, readPullRequest } = proxyActivities<Activities>(externalApiOptions);

type ShownPull = Pick<RunPatch, 'pullRequest' | 'baseBranch'>;

/** Returns the status patch that shows a pull request, with its head and the branch that it would be merged into. */
export const showPull = ({ number, url, headSha, baseBranch }: PullRequestFacts): ShownPull => ({
  pullRequest: { number, url, headSha },
  ...defined({ baseBranch }),
});

/** Returns the status patch for a new head, empty when the run already shows it; the first commit opens the draft. */
export async function ensurePullRequest(state: RunState, headSha: string): Promise<ShownPull> {
  const known = state.status.pullRequest;
  if (known?.headSha === headSha) return {};
  // The pull request takes its title from the issue.
  await condition(() => state.status.issue !== undefined || state.input.target === undefined);
  // A run on a pull request may have committed to a branch of its own, which needs a pull request of its own.
  if (known && !hasTargetPullRequest(state)) return { pullRequest: { ...known, headSha } };
  const { number, url, baseBranch } = await openPullRequest(state.ref);
  // Another base of a known pull request is no part of what the run has shown.
  const base = number === known?.number ? {} : defined({ baseBranch });
  return { pullRequest: { number, url, headSha }, ...base };
}

/** The number of polls while the code host computes whether a pull request can be merged. */
const pollsMax = 60;
export const getPollIntervalMs = (state: RunState): number => state.input.intervals?.pollIntervalMs ?? 1_000;

/** Reports whether the pull request conflicts with its base; polls while the code host does not know. */
export async function isConflicted(state: RunState): Promise<boolean> {
  for (let poll = 0; poll < pollsMax; poll += 1) {
    const pull = await readPullRequest(state.ref);
    if (pull.state === 'closed' || pull.mergeable === 'yes') return false;
    if (pull.mergeable === 'conflicted') return true;
    await sleep(getPollIntervalMs(state));
  }
  // The merge step checks again and handles a conflict, so an unknown state blocks nothing here.
  return false;
}
