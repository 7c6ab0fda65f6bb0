import {
  ActivityFailure,
  CancellationScope,
  patched,
  proxyActivities,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { defined } from '../../src/defined.ts';
import { listAgentStepsBetween, findConflictResolver } from '../../src/rules/changes/next-steps.ts';
import { externalApiOptions, mergeOptions } from '../activity-options.ts';
import { promoteReleaseStart } from '../releases/messages.ts';
import { startDetached } from '../start-detached.ts';
import { agentsTaskQueue } from '../task-queues.ts';
import { timestamp } from '../timestamp.ts';
import { getPollIntervalMs, showPull } from './pull-request.ts';
import type { RunState } from './run-state.ts';
import { waitForRules } from './wait-for-rules.ts';

const { mergePullRequest, updatePullRequestBranch, readPullRequest, readRunRepo, deleteRunBranch, closePullRequest } =
  proxyActivities<Activities>(externalApiOptions);
const { mergePullRequest: mergeToItsEnd } = proxyActivities<Activities>(mergeOptions);

type Merge = Awaited<ReturnType<typeof mergePullRequest>>;
type Merged = Extract<Merge, { outcome: 'merged' }>;

export const conflictRoundsMax = 3;
const mergePatch = 'finish-merge';
/** Attempts while the base branch keeps moving, which covers minutes of other merges. */
const mergeAttemptsMax = 60;

/** Squash-merges the approved commit and starts its Release; repeats earlier steps when it must not merge yet. */
export async function runMergeStep(state: RunState, step: string): Promise<void> {
  if (state.status.pullRequest === undefined)
    return await state.recordStep(step, { phase: 'Skipped', finishedAt: timestamp() });
  // The step is running already when a wait for the rules of the base branch continued as new.
  if (state.getStep(step).phase !== 'Running')
    await state.recordStep(step, { phase: 'Running', startedAt: timestamp(), failure: null });
  let message = '';
  for (let attempt = 0; attempt < mergeAttemptsMax;) {
    const { headSha } = state.status.pullRequest;
    // Its Release is their work too.
    await state.recordCommitters();
    const merge = await attemptMerge(state, headSha);
    if (merge.outcome === 'merged') return await finishMerge(state, step, merge);
    if (merge.outcome === 'up-to-date') return await skipEmptyMerge(state, step, merge.message);
    if (merge.outcome === 'conflicted') return await returnToResolver(state, step, merge.message);
    if (merge.outcome === 'blocked' || merge.outcome === 'behind') {
      if (merge.outcome === 'behind') await updatePullRequestBranch({ ...state.ref, headSha });
      const needsPerson = merge.outcome === 'blocked' && merge.needsPerson;
      if (!(await waitForRules(state, step, { message: merge.message, needsPerson }))) return;
      continue;
    }
    if (
      merge.outcome === 'retargeted' ||
      (merge.outcome === 'head-moved' && !(await acceptIfOnlyBaseMerges(state, merge)))
    )
      return await requestReapproval(state, step, merge.message);
    if (merge.outcome === 'closed' || merge.outcome === 'refused')
      return await state.failStep(step, {
        reason: 'merge-refused',
        message: merge.message,
        fix: 'Fix the pull request on the code host, then retry the step.',
      });
    ({ message } = merge);
    attempt += 1;
    await sleep(getPollIntervalMs(state));
  }
  await state.failStep(step, {
    reason: 'merge-attempts-exhausted',
    message: `The merge failed ${mergeAttemptsMax} times. Last error: ${message}`,
    fix: 'Retry the step.',
  });
}

/** Attempts the merge. A cancellation waits for its outcome, because merged code needs its Release. */
async function attemptMerge(state: RunState, headSha: string): Promise<Merge> {
  const input = { ...state.ref, headSha, ...defined({ baseBranch: state.status.baseBranch }) };
  if (!patched(mergePatch)) return await mergePullRequest(input);
  try {
    return await mergeToItsEnd(input);
  } catch (error) {
    const scope = CancellationScope.current();
    if (!scope.consideredCancelled) throw error;
    const found = await CancellationScope.nonCancellable(async () => await findMerge(state, headSha));
    return found ?? (await scope.cancelRequested);
  }
}

/** Finds the merge of an attempt whose outcome was lost, for example with its worker. */
async function findMerge({ ref }: RunState, headSha: string): Promise<Merge | undefined> {
  try {
    const pull = await readPullRequest(ref);
    // The activity merges no closed pull request, and returns the commit of one that is merged.
    return pull.state === 'closed' ? await mergePullRequest({ ...ref, headSha }) : undefined;
  } catch (error) {
    // The org may be disconnected from its code host by now.
    if (!(error instanceof ActivityFailure)) throw error;
    return undefined;
  }
}

/** Accepts a moved head that adds only merges of the base: a person updated the branch on the code host. */
async function acceptIfOnlyBaseMerges(state: RunState, { headSha: current }: { headSha?: string }): Promise<boolean> {
  const shown = state.status.pullRequest;
  if (current === undefined || !shown) return false;
  const { checkUnreviewedCommits } = proxyActivities<Activities>({
    ...externalApiOptions,
    taskQueue: agentsTaskQueue(workflowInfo().taskQueue),
  });
  const { headSha, hasUnreviewedCommits } = await checkUnreviewedCommits({
    ...state.ref,
    reviewedSha: shown.headSha,
  });
  if (!hasUnreviewedCommits) await state.record({ pullRequest: { ...shown, headSha } });
  return !hasUnreviewedCommits;
}

/** The base already contains the change, so neither an empty commit nor a Release of it is of use. */
async function skipEmptyMerge(state: RunState, step: string, summary: string): Promise<void> {
  await closePullRequest(state.ref);
  await state.recordStep(step, {
    phase: 'Skipped',
    verdict: { outcome: 'done', summary },
    finishedAt: timestamp(),
    waitingFor: null,
  });
}

/** Completes a merge also when the run was cancelled meanwhile. */
async function finishMerge(state: RunState, step: string, merge: Merged): Promise<void> {
  const finish = async (): Promise<void> => await recordMerge(state, step, merge);
  await (patched(mergePatch) ? CancellationScope.nonCancellable(finish) : finish());
}

/** Only merges to the default branch are released. */
async function recordMerge(state: RunState, step: string, { commit, nonDefaultBranch }: Merged): Promise<void> {
  await state.record({ mergeCommit: commit, mergedAt: timestamp() });
  if (nonDefaultBranch === undefined) await startRelease(state, commit);
  await deleteRunBranch(state.ref);
  await state.recordStep(step, { phase: 'Succeeded', finishedAt: timestamp(), waitingFor: null });
}

async function startRelease(state: RunState, commit: string): Promise<void> {
  const { org, product, startedBy } = state.input;
  const repo = await readRunRepo(state.ref);
  await startDetached(promoteReleaseStart({ org, product, repo, commit, run: state.ref.run, startedBy }));
}

/** Counts the round before going back, so that no path around the loop can skip the limit. */
async function returnToResolver(state: RunState, step: string, message: string): Promise<void> {
  const resolver = findConflictResolver(state.steps, step);
  const rounds = state.status.conflictRounds ?? 0;
  if (!resolver || rounds >= conflictRoundsMax)
    return await state.failStep(step, {
      reason: 'merge-conflict',
      message,
      fix: 'Resolve the conflict on the branch, then retry the step.',
    });
  const between = listAgentStepsBetween(state.steps, { from: resolver.name, to: step });
  await state.record({
    conflictRounds: rounds + 1,
    steps: [resolver.name, ...between, step].map((name) => ({ name, phase: 'Pending' as const, waitingFor: null })),
  });
}

/** Commits that were pushed after the approval, and another base, need a new approval. */
async function requestReapproval(state: RunState, step: string, message: string): Promise<void> {
  const current = await readPullRequest(state.ref);
  const approvals = state.steps.filter(({ type }) => type === 'human').map(({ name }) => name);
  if (approvals.length === 0) {
    // The person who retries the step has reviewed the commits.
    const failure = state.toFailure(step, {
      reason: 'unreviewed-commits',
      message,
      fix: `Review ${current.headSha}, then retry the step.`,
    });
    return await state.record({
      ...showPull(current),
      steps: [{ name: step, phase: 'Failed', failure, finishedAt: timestamp(), waitingFor: null }],
    });
  }
  await state.record({
    ...showPull(current),
    steps: [...approvals, step].map((name) => ({
      name,
      phase: 'Pending' as const,
      decision: null,
      waitingFor: null,
    })),
  });
}
