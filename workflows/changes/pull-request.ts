import { condition, proxyActivities, sleep } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { RunPatch } from '../../src/rules/changes/run-status.ts';
import { outside } from '../activity-options.ts';
import type { RunState } from './run-state.ts';

const { openPullRequest, readPullRequest } = proxyActivities<Activities>(outside);

/** The head that the run has to show now, nothing where it shows it; the branch's first commit opens the draft. */
export async function pullRequestAt(state: RunState, headSha: string): Promise<Pick<RunPatch, 'pullRequest'>> {
  const known = state.status.pullRequest;
  if (known?.headSha === headSha) return {};
  // The issue's title becomes the pull request's.
  await condition(() => state.status.issue !== undefined || state.input.target === undefined);
  const { number, url } = known ?? (await openPullRequest(state.ref));
  return { pullRequest: { number, url, headSha } };
}

/** How often the code host is asked while it still computes whether a pull request can be merged. */
const looksMax = 60;
export const lookAgainMs = (state: RunState): number => state.input.pace?.lookAgainMs ?? 1_000;

/** Whether the pull request conflicts with its base; waits while the code host does not know yet. */
export async function isConflicted(state: RunState): Promise<boolean> {
  for (let look = 0; look < looksMax; look += 1) {
    const pull = await readPullRequest(state.ref);
    if (pull.state === 'closed' || pull.mergeable === 'yes') return false;
    if (pull.mergeable === 'conflicted') return true;
    await sleep(lookAgainMs(state));
  }
  // Unknown decides nothing: the merge itself asks again and has its own answer for a conflict.
  return false;
}
