import { ActivityFailure, isCancellation, patched, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { RunPhase, RunStatus, StepStatus } from '../../src/rules/changes/kinds.ts';
import { nextSteps } from '../../src/rules/changes/next-steps.ts';
import { isTerminalRunPhase } from '../../src/rules/changes/run-status.ts';
import { externalApiOptions } from '../activity-options.ts';
import { conflictFailure } from '../failures.ts';
import { timestamp } from '../timestamp.ts';
import type { RunAgentWorkflowInput } from './messages.ts';
import type { RunState } from './run-state.ts';

const { closePullRequest } = proxyActivities<Activities>(externalApiOptions);

/** A code host that stays away keeps no run from its end for longer. */
const cleanUpMs = 15 * 60_000;

/** Records the outcome of a run, with the failure of the step that ended it. Steps that it interrupts are cancelled. */
export async function finishRun(
  state: RunState,
  phase: Extract<RunPhase, 'Succeeded' | 'Failed' | 'Cancelled'>,
  cancelledBy?: RunStatus['cancelledBy'],
): Promise<void> {
  const failed = state.status.steps.find((step) => step.phase === 'Failed' || step.phase === 'Rejected');
  const isInterrupted = (step: StepStatus): boolean =>
    phase === 'Cancelled'
      ? !['Succeeded', 'Skipped'].includes(step.phase)
      : ['Running', 'Waiting', 'NeedsGuidance'].includes(step.phase);
  // A failed step can be retried and needs its branch; a rejected or cancelled run leaves nothing behind.
  if (phase === 'Cancelled' || failed?.phase === 'Rejected') await cleanUpPullRequest(state);
  await state.record({
    phase,
    finishedAt: timestamp(),
    ...(failed?.failure ? { failure: failed.failure } : {}),
    ...(cancelledBy ? { cancelledBy } : {}),
    steps: state.status.steps.filter(isInterrupted).map(({ name }) => ({
      name,
      phase: 'Cancelled' as const,
      waitingFor: null,
      retrying: null,
      finishedAt: timestamp(),
    })),
  });
}

/** Finishes a cancelled run. It has succeeded when the cancellation came too late for a merge that was its last step. */
export async function finishCancelledRun(state: RunState, cancelledBy: RunStatus['cancelledBy']): Promise<void> {
  const { mergeCommit, steps } = state.status;
  const isComplete = mergeCommit !== undefined && nextSteps(state.steps, steps).length === 0;
  if (isComplete && patched('merged-run')) await finishRun(state, 'Succeeded');
  else await finishRun(state, 'Cancelled', cancelledBy);
}

/** Refuses the cancellation of a run that finished otherwise, such as by a merge that was in progress. */
export function assertCancelled({ ref: { run }, status: { phase } }: RunState): void {
  if (phase !== 'Cancelled')
    throw conflictFailure('run-finished', `The run "${run}" has already finished: its phase is ${phase}.`);
}

/** The org may be disconnected from its code host by now, or its repo deleted; the run finishes without the cleanup then. */
async function cleanUpPullRequest(state: RunState): Promise<void> {
  try {
    const scheduleToCloseTimeout = state.input.intervals?.cleanUpMs ?? cleanUpMs;
    await closePullRequest.executeWithOptions({ scheduleToCloseTimeout }, [state.ref]);
  } catch (error) {
    if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error;
  }
}

/** Reopens a finished run at the step that failed. */
export async function reopenRun(
  state: RunState,
  { decision, proof }: NonNullable<NonNullable<RunAgentWorkflowInput['resume']>['retry']>,
): Promise<void> {
  if (!isTerminalRunPhase(state.status.phase)) return;
  const { by, step, startOver } = decision;
  const { phase } = state.getStep(step);
  if (phase !== 'Failed')
    throw conflictFailure('step-not-retryable', `The step "${step}" is ${phase}. Only a failed step can be retried.`);
  await state.assertAuthentic('retryStep', decision, proof);
  if (startOver) state.restartedSteps.add(step);
  const fresh = startOver ? { reviewRounds: null, verdict: null } : {};
  const guidance = { by, outcome: 'retried', at: timestamp() } as const;
  await state.record({
    phase: 'Running',
    failure: null,
    finishedAt: null,
    steps: [{ name: step, phase: 'Pending', failure: null, finishedAt: null, guidance, ...fresh }],
  });
}
