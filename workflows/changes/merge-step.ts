import { patched, proxyActivities, sleep, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { agentsBetween, resolverBefore } from '../../src/rules/changes/next-steps.ts';
import { outside } from '../activity-options.ts';
import { promoteReleaseId } from '../releases/messages.ts';
import type { promoteRelease } from '../releases/promote-release.ts';
import { searchAttributes } from '../search-attributes.ts';
import { agentsTaskQueue } from '../task-queues.ts';
import { startApart } from '../start-apart.ts';
import { lookAgainMs } from './pull-request.ts';
import { type RunState, timestamp } from './run-state.ts';

const { mergePullRequest, readPullRequest, readRunRepo, deleteRunBranch, closePullRequest } =
  proxyActivities<Activities>(outside);

export const conflictRoundsMax = 3;
/** A base that keeps moving is tried this often: minutes of other people's merges. */
const triesMax = 60;

/** Squash-merges what was approved and starts the Release of the merge commit; sends the run back where it must not merge. */
export async function runMergeStep(state: RunState, step: string): Promise<void> {
  if (state.status.pullRequest === undefined)
    return await state.recordStep(step, { phase: 'Skipped', finishedAt: timestamp() });
  await state.recordStep(step, { phase: 'Running', startedAt: timestamp(), failure: null });
  let message = '';
  for (let tries = 0; tries < triesMax; tries += 1) {
    const merge = await mergePullRequest({ ...state.ref, headSha: state.status.pullRequest.headSha });
    if (merge.outcome === 'merged') return await merged(state, step, merge);
    if (merge.outcome === 'empty') return await nothingLeft(state, step, merge.message);
    if (merge.outcome === 'conflicted') return await goBackToResolver(state, step, merge.message);
    if (merge.outcome === 'head-moved' && !(await isOnlyBase(state, merge)))
      return await askAgain(state, step, merge.message);
    if (merge.outcome === 'closed' || merge.outcome === 'refused')
      return await state.failStep(step, merge.message, 'Mend it on the code host, then retry the step.');
    ({ message } = merge);
    await sleep(lookAgainMs(state));
  }
  await state.failStep(step, `The merge was tried ${triesMax} times. At last: ${message}`, 'Retry the step.');
}

/** Takes a head that has nothing beyond what was approved and merges of the base: somebody had the branch updated. */
async function isOnlyBase(state: RunState, { headSha: seen }: { headSha?: string }): Promise<boolean> {
  const shown = state.status.pullRequest;
  if (seen === undefined || !shown) return false;
  const { judgeHeadMove } = proxyActivities<Activities>({
    ...outside,
    taskQueue: agentsTaskQueue(workflowInfo().taskQueue),
  });
  const { headSha, beyond } = await judgeHeadMove({ ...state.ref, shown: shown.headSha });
  if (!beyond) await state.record({ pullRequest: { ...shown, headSha } });
  return !beyond;
}

/** The base got the same change from elsewhere: an empty commit would help nobody, and neither would its Release. */
async function nothingLeft(state: RunState, step: string, summary: string): Promise<void> {
  await closePullRequest(state.ref);
  await state.recordStep(step, {
    phase: 'Skipped',
    verdict: { outcome: 'done', summary },
    finishedAt: timestamp(),
  });
}

/** What went into another branch than the default one is not what Releases are cut from. */
async function merged(
  state: RunState,
  step: string,
  { commit, beside }: { commit: string; beside?: string },
): Promise<void> {
  await state.record({ mergeCommit: commit });
  if (beside === undefined) await startRelease(state, commit);
  await deleteRunBranch(state.ref);
  await state.recordStep(step, { phase: 'Succeeded', finishedAt: timestamp() });
}

async function startRelease(state: RunState, commit: string): Promise<void> {
  const { org, product, startedBy } = state.input;
  const repo = await readRunRepo(state.ref);
  await startApart<typeof promoteRelease>('promoteRelease', {
    workflowId: promoteReleaseId({ org, product, commit }),
    args: [{ org, product, repo, commit, run: state.ref.run, startedBy }],
    typedSearchAttributes: searchAttributes({ org, product, targetKind: 'release' }),
    staticSummary: `${product}: ${state.status.issue?.title ?? commit.slice(0, 8)}`,
  });
}

/** The round is counted before going back, so that no way out of the loop can forget it. */
async function goBackToResolver(state: RunState, step: string, message: string): Promise<void> {
  const resolver = resolverBefore(state.steps, step);
  const rounds = state.status.conflictRounds ?? 0;
  if (!resolver || rounds >= conflictRoundsMax)
    return await state.failStep(step, message, 'Resolve the conflict on the branch by hand, then retry the step.');
  const between = agentsBetween(state.steps, { from: resolver.name, to: step });
  const again = between.length > 0 && patched('repeat-after-resolver') ? between : [];
  await state.record({
    conflictRounds: rounds + 1,
    steps: [resolver.name, ...again, step].map((name) => ({ name, phase: 'Pending' as const })),
  });
}

/** Commits came after the approval: they were not approved. */
async function askAgain(state: RunState, step: string, message: string): Promise<void> {
  const { number, url, headSha } = await readPullRequest(state.ref);
  const approvals = state.steps.filter(({ type }) => type === 'human').map(({ name }) => name);
  const shown = { pullRequest: { number, url, headSha } };
  if (approvals.length === 0) {
    // Whoever retries the step has looked at them.
    const failure = state.failure(step, message, `Look at ${headSha}, then retry the step.`);
    return await state.record({
      ...shown,
      steps: [{ name: step, phase: 'Failed', failure, finishedAt: timestamp(), waitingFor: null }],
    });
  }
  await state.record({
    ...shown,
    steps: [...approvals, step].map((name) => ({ name, phase: 'Pending' as const, decision: null })),
  });
}
