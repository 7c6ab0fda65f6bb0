import { patched } from '@temporalio/workflow';
import type { PullRequestFacts } from '../../activities/changes/change-activities.ts';
import type { RunState } from './run-state.ts';

/**
 * Shows a step that waits for a decision that a person has closed the pull request. A merge by hand still needs the
 * decision, because the approval releases the merge commit.
 */
export async function recordClosure(
  state: RunState,
  step: string,
  { number, state: pullState, isMerged }: PullRequestFacts,
): Promise<void> {
  const { phase, waitingFor } = state.getStep(step);
  if (phase !== 'Waiting' || !waitingFor || pullState === 'open' || isMerged === undefined) return;
  if (!patched('closed-pull-requests')) return;
  if (!isMerged)
    return await state.failStep(step, {
      reason: 'pull-request-closed',
      message: `Pull request #${number} was closed without a merge.`,
      fix: 'Reopen the pull request on the code host, then retry the step, or start a new run.',
    });
  const message = `pull request #${number} was merged on the code host: approve the Change to continue, or reject it`;
  await state.recordStep(step, { waitingFor: { ...waitingFor, message } });
}
