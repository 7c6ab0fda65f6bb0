import {
  ActivityFailure,
  CancellationScope,
  ChildWorkflowFailure,
  allHandlersFinished,
  condition,
  continueAsNew,
  isCancellation,
  proxyLocalActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { DecisionProof } from '../../src/rules/access/decisions.ts';
import type { StepSpec } from '../../src/rules/agents/kinds.ts';
import type { RunStatus } from '../../src/rules/changes/kinds.ts';
import { nextSteps } from '../../src/rules/changes/next-steps.ts';
import { runName } from '../../src/rules/changes/run-names.ts';
import { storeOptions } from '../activity-options.ts';
import { conflictFailure, toApplicationFailure } from '../failures.ts';
import { timestamp } from '../timestamp.ts';
import { assertCancelled, finishCancelledRun, finishRun, reopenRun } from './finish-run.ts';
import { registerHumanStepHandlers, runHumanStep } from './human-steps.ts';
import {
  type RunAgentWorkflowInput,
  cancelRunUpdate,
  retryStepUpdate,
  runProgressQuery,
  waitForRunUpdate,
} from './messages.ts';
import { applyReviews, hasNoChanges, skipPendingSteps } from './reviews.ts';
import { runAgentStep } from './run-agent-step.ts';
import { runConflictStep } from './run-conflict-step.ts';
import { runMergeStep } from './run-merge-step.ts';
import { RunState } from './run-state.ts';
import { failFirstStep, hasTargetPullRequest, recordTarget } from './run-target.ts';

const { openRun } = proxyLocalActivities<Activities>(storeOptions);

/**
 * Runs one Change: the steps of an AgentWorkflow in order, until all have passed or one has failed.
 *
 *   next steps ─► run them ─► changes requested ─► repeat the reviewed step (3 rounds, then ask a person)
 *       ▲             │
 *       └── passed ◄──┴─► Failed, Rejected, Cancelled ─► close the pull request unless the step can be retried
 */
export async function runAgentWorkflow(input: RunAgentWorkflowInput): Promise<void> {
  const { runId, workflowId } = workflowInfo();
  const run = input.resume?.run ?? runName({ ...input, seed: runId });
  const scope = new CancellationScope();
  let state: RunState | undefined;
  let openingFailure: unknown;
  let isFinished = false;
  let hasStarted = false;
  let cancelledBy: RunStatus['cancelledBy'];

  const assertThisRun = (ref: { run: string }, _proof?: DecisionProof): void => assertSameRun(run, ref.run);
  registerHumanStepHandlers(() => state);
  setHandler(waitForRunUpdate, async () => {
    await condition(() => state !== undefined || openingFailure !== undefined);
    if (openingFailure) throw toApplicationFailure(openingFailure);
    return { run };
  });
  setHandler(runProgressQuery, () => ({
    phase: state?.status.phase ?? 'Pending',
    step: state?.status.steps.find(({ phase }) => phase === 'Running')?.name,
    waitingFor: state?.status.steps.find(({ waitingFor }) => waitingFor)?.waitingFor?.role,
  }));
  setHandler(
    cancelRunUpdate,
    async (decision, proof) => {
      await condition(() => state !== undefined || isFinished);
      await state?.assertAuthentic('cancelRun', decision, proof);
      cancelledBy = { by: decision.by, at: timestamp() };
      scope.cancel();
      await condition(() => isFinished);
      if (state) assertCancelled(state);
    },
    { validator: assertThisRun },
  );
  setHandler(
    retryStepUpdate,
    async (decision, proof) => {
      await condition(() => hasStarted || openingFailure !== undefined);
      const { step, startOver } = decision;
      // The start that carries this update reopens a finished run; a run that waits for guidance continues here.
      if (state?.getStep(step).phase === 'NeedsGuidance') {
        await state.assertAuthentic('retryStep', decision, proof);
        if (state.getStep(step).phase !== 'NeedsGuidance') return;
        state.guidedSteps.add(step);
        if (startOver) state.restartedSteps.add(step);
        const guidance = { by: decision.by, outcome: 'retried', at: timestamp() } as const;
        const fresh = startOver ? { reviewRounds: null } : {};
        await state.recordStep(step, { phase: 'Running', waitingFor: null, guidance, ...fresh });
      }
    },
    { validator: assertThisRun },
  );

  try {
    await scope.run(async () => {
      const { agentWorkflow, product, startedBy, target, release, instructionsKey, cause } = input;
      const opened = await openRun({
        org: input.org,
        run,
        agentWorkflow,
        product,
        startedBy,
        workflowId,
        ...(target ? { target } : {}),
        ...(release ? { release: release.name } : {}),
        ...(instructionsKey ? { instructionsKey } : {}),
        ...(cause ? { cause } : {}),
      });
      state = new RunState(input, run, opened);
      if (input.resume?.retry) await reopenRun(state, input.resume.retry);
      hasStarted = true;
      await runSteps(state);
    });
  } catch (error) {
    if (!hasStarted && !isCancellation(error)) openingFailure = error;
    else if (isCancellation(error) && state)
      await CancellationScope.nonCancellable(async () => await finishCancelledRun(state as RunState, cancelledBy));
    else throw error;
  }
  isFinished = true;
  await condition(allHandlersFinished);
  if (openingFailure) throw toApplicationFailure(openingFailure);
}

async function runSteps(state: RunState): Promise<void> {
  // Every step of a run on a pull request needs it, so it is read before the first step.
  const missing = hasTargetPullRequest(state) ? await recordTarget(state) : undefined;
  if (missing !== undefined) {
    await failFirstStep(state, nextSteps(state.steps, state.status.steps), missing);
    return await finishRun(state, 'Failed');
  }
  for (;;) {
    const next = nextSteps(state.steps, state.status.steps);
    if (next.length === 0) return await finishRun(state, 'Succeeded');
    await runStepsInParallel(state, next);
    if (next.some(({ name }) => ['Failed', 'Rejected'].includes(state.getStep(name).phase)))
      return await finishRun(state, 'Failed');
    await applyReviews(state, next);
    if (hasNoChanges(state, next)) await skipPendingSteps(state);
    if (workflowInfo().continueAsNewSuggested) await continueRunAsNew(state);
  }
}

/** Reads the run's target in parallel with the steps, because an agent's first turn reads it on its own. */
async function runStepsInParallel(state: RunState, steps: StepSpec[]): Promise<void> {
  const scope = new CancellationScope();
  let missing: string | undefined;
  const readRunTarget = async (): Promise<void> => {
    missing = await recordTarget(state);
    if (missing !== undefined) scope.cancel();
  };
  const runAll = async (): Promise<unknown> => await Promise.all(steps.map(async (step) => await runStep(state, step)));
  try {
    await Promise.all([readRunTarget(), scope.run(runAll)]);
  } catch (error) {
    if (missing === undefined || !isCancellation(error)) throw error;
  }
  if (missing !== undefined) await failFirstStep(state, steps, missing);
}

async function runStep(state: RunState, step: StepSpec): Promise<void> {
  try {
    if (step.type === 'human') await runHumanStep(state, step.name);
    else if (step.type === 'merge') await runMergeStep(state, step.name);
    else if (step.when) await runConflictStep(state, step);
    else await runAgentStep(state, step);
  } catch (error) {
    if (isCancellation(error)) throw error;
    if (!(error instanceof ActivityFailure) && !(error instanceof ChildWorkflowFailure)) throw error;
    await state.failStep(step.name, {
      reason: 'activity-failed',
      message: toApplicationFailure(error).message,
      fix: 'Fix the error above, then retry the step.',
    });
  }
}

async function continueRunAsNew(state: RunState): Promise<void> {
  await condition(allHandlersFinished);
  await continueAsNew<typeof runAgentWorkflow>({
    ...state.input,
    resume: { run: state.ref.run, guidedSteps: [...state.guidedSteps], restartedSteps: [...state.restartedSteps] },
  });
}

function assertSameRun(run: string, requested: string): void {
  if (run !== requested)
    throw conflictFailure('run-not-active', `The run "${requested}" is not in progress; the run "${run}" is.`);
}
