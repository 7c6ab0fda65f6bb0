import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { ParentClosePolicy, proxyActivities, sleep, startChild } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { resolverBefore } from '../../src/rules/changes/next-steps.ts';
import { outside } from '../activity-options.ts';
import { promoteReleaseId } from '../releases/messages.ts';
import type { promoteRelease } from '../releases/promote-release.ts';
import { searchAttributes } from '../search-attributes.ts';
import { lookAgainMs } from './pull-request.ts';
import { type RunState, timestamp } from './run-state.ts';

const { mergePullRequest, readPullRequest, readRunRepo, deleteRunBranch } = proxyActivities<Activities>(outside);

export const conflictRoundsMax = 3;
/** A base that keeps moving is tried this often: minutes of other people's merges. */
const triesMax = 60;

/** Squash-merges what was approved and starts the Release of the merge commit; sends the run back where it must not merge. */
export async function runMergeStep(state: RunState, step: string): Promise<void> {
  const headSha = state.status.pullRequest?.headSha;
  if (headSha === undefined) return await state.recordStep(step, { phase: 'Skipped', finishedAt: timestamp() });
  await state.recordStep(step, { phase: 'Running', startedAt: timestamp(), failure: null });
  for (let tries = 0; tries < triesMax; tries += 1) {
    const merge = await mergePullRequest({ ...state.ref, headSha });
    if (merge.outcome === 'merged') return await merged(state, step, merge.commit);
    if (merge.outcome === 'conflicted') return await goBackToResolver(state, step, merge.message);
    if (merge.outcome === 'head-moved') return await askAgain(state, step, merge.message);
    if (merge.outcome !== 'base-moved')
      return await state.failStep(step, merge.message, 'Mend it on the code host, then retry the step.');
    await sleep(lookAgainMs(state));
  }
  await state.failStep(step, 'The base branch kept moving while the merge was tried.', 'Retry the step.');
}

async function merged(state: RunState, step: string, commit: string): Promise<void> {
  await state.record({ mergeCommit: commit });
  await startRelease(state, commit);
  await deleteRunBranch(state.ref);
  await state.recordStep(step, { phase: 'Succeeded', finishedAt: timestamp() });
}

async function startRelease(state: RunState, commit: string): Promise<void> {
  const { org, product, startedBy } = state.input;
  const repo = await readRunRepo(state.ref);
  try {
    await startChild<typeof promoteRelease>('promoteRelease', {
      workflowId: promoteReleaseId({ org, product, commit }),
      args: [{ org, product, repo, commit, run: state.ref.run, startedBy }],
      // The Release goes on after the Change has ended.
      parentClosePolicy: ParentClosePolicy.ABANDON,
      typedSearchAttributes: searchAttributes({ org, product, targetKind: 'release' }),
      staticSummary: `${product}: ${state.status.issue?.title ?? commit.slice(0, 8)}`,
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

/** The round is counted before going back, so that no way out of the loop can forget it. */
async function goBackToResolver(state: RunState, step: string, message: string): Promise<void> {
  const resolver = resolverBefore(state.steps, step);
  const rounds = state.status.conflictRounds ?? 0;
  if (!resolver || rounds >= conflictRoundsMax)
    return await state.failStep(step, message, 'Resolve the conflict on the branch by hand, then retry the step.');
  await state.record({
    conflictRounds: rounds + 1,
    steps: [
      { name: resolver.name, phase: 'Pending' },
      { name: step, phase: 'Pending' },
    ],
  });
}

/** Commits came after the approval: they were not approved. */
async function askAgain(state: RunState, step: string, message: string): Promise<void> {
  const { number, url, headSha } = await readPullRequest(state.ref);
  const approvals = state.steps.filter(({ type }) => type === 'human').map(({ name }) => name);
  if (approvals.length === 0)
    return await state.failStep(step, message, 'Look at the new commits, then retry the step.');
  await state.record({
    pullRequest: { number, url, headSha },
    steps: [...approvals, step].map((name) => ({ name, phase: 'Pending' as const, decision: null })),
  });
}
