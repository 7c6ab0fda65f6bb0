import { ActivityFailure, ApplicationFailure, isCancellation, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { RunPhase } from '../../src/rules/changes/kinds.ts';
import { runEnded } from '../../src/rules/changes/run-status.ts';
import { outside } from '../activity-options.ts';
import { type RunState, timestamp } from './run-state.ts';

const { closePullRequest } = proxyActivities<Activities>(outside);

/** Writes how a run ended, with the reason of the step that broke it. */
export async function end(
  state: RunState,
  phase: Extract<RunPhase, 'Succeeded' | 'Failed' | 'Cancelled'>,
): Promise<void> {
  const broken = state.status.steps.find((step) => step.phase === 'Failed' || step.phase === 'Rejected');
  const stopped =
    phase === 'Cancelled' ? state.status.steps.filter(({ phase: now }) => !['Succeeded', 'Skipped'].includes(now)) : [];
  // A failed step can be retried and needs its branch; a rejected or cancelled Change leaves nothing behind.
  if (phase === 'Cancelled' || broken?.phase === 'Rejected') await leaveNothing(state);
  await state.record({
    phase,
    finishedAt: timestamp(),
    ...(broken?.failure ? { failure: broken.failure } : {}),
    steps: stopped.map(({ name }) => ({
      name,
      phase: 'Cancelled' as const,
      waitingFor: null,
      finishedAt: timestamp(),
    })),
  });
}

/** An org that is no longer connected to its code host cannot be tidied up; its run ends all the same. */
async function leaveNothing(state: RunState): Promise<void> {
  try {
    await closePullRequest(state.ref);
  } catch (error) {
    if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error;
  }
}

/** Sets a run that had ended going again at the step that failed. */
export async function retry(state: RunState, step: string): Promise<void> {
  if (!runEnded(state.status.phase)) return;
  const failed = state.step(step);
  if (failed.phase !== 'Failed')
    throw ApplicationFailure.nonRetryable(
      `The step "${step}" is ${failed.phase}, not Failed: there is nothing to retry.`,
      'conflict',
    );
  await state.record({
    phase: 'Running',
    failure: null,
    finishedAt: null,
    steps: [{ name: step, phase: 'Pending', failure: null, finishedAt: null }],
  });
}
