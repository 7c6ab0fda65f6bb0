import { sleep, workflowInfo } from '@temporalio/workflow';
import { changeMergeWaitMs, mergeRetryDelayMs } from '../../src/rules/changes/merge-wait.ts';
import { timestamp } from '../timestamp.ts';
import type { RunState } from './run-state.ts';

/**
 * Shows what a merge waits for, and sleeps until its next attempt. Returns false when the step must not continue: its time
 * is up, or its history is long and the run continues as new, where the wait continues.
 */
export async function waitForRules(
  state: RunState,
  step: string,
  { message, needsPerson }: { message: string; needsPerson: boolean },
): Promise<boolean> {
  const { waitingFor } = state.getStep(step);
  const since = waitingFor?.since ?? timestamp();
  const limitMs = state.input.intervals?.mergeWaitMs ?? changeMergeWaitMs;
  const waitedMs = Date.now() - Date.parse(since);
  if (waitedMs >= limitMs) {
    await state.failStep(step, {
      reason: 'merge-blocked',
      message: `The rules of the base branch still block the merge: ${message}`,
      fix: 'Meet the rules on the code host or change them, then retry the step.',
    });
    return false;
  }
  if (workflowInfo().continueAsNewSuggested) return false;
  const role = needsPerson ? 'member' : 'codehost';
  if (waitingFor?.message !== message || waitingFor.role !== role) {
    const until = new Date(Date.parse(since) + limitMs).toISOString();
    await state.recordStep(step, { waitingFor: { role, since, until, message } });
  }
  await sleep(Math.min(state.input.intervals?.pollIntervalMs ?? mergeRetryDelayMs(waitedMs), limitMs - waitedMs));
  return true;
}
