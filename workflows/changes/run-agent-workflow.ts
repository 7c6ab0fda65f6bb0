import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  ChildWorkflowFailure,
  allHandlersFinished,
  condition,
  continueAsNew,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { StepSpec } from '../../src/rules/agents/kinds.ts';
import { nextSteps } from '../../src/rules/changes/next-steps.ts';
import { runName } from '../../src/rules/changes/run-names.ts';
import { outside, store } from '../activity-options.ts';
import { reasonOf } from '../reason-of.ts';
import { runAgentStep } from './agent-step.ts';
import { runConflictStep } from './conflict-step.ts';
import { runMergeStep } from './merge-step.ts';
import { type RunAgentWorkflowInput, cancelRun, opened, progress, retryStep } from './messages.ts';
import { listenToPeople } from './people.ts';
import { followReviews, nothingChanged, skipTheRest } from './reviews.ts';
import { end, retry } from './run-ending.ts';
import { RunState, timestamp } from './run-state.ts';

const { openRun } = proxyLocalActivities<Activities>(store);
const { readTarget, markPullRequestReady } = proxyActivities<Activities>(outside);

/**
 * One Change: the steps of an AgentWorkflow, in order, until they have all passed or one has failed.
 *
 *   next steps ─► run them ─► a review objects ─► back to the reviewed step (3 rounds, then a person)
 *       ▲             │
 *       └── passed ◄──┴─► Failed, Rejected, cancelled ─► the pull request is closed where nothing can come of it
 */
export async function runAgentWorkflow(input: RunAgentWorkflowInput): Promise<void> {
  const { runId, workflowId } = workflowInfo();
  const run = input.resume?.run ?? runName({ ...input, seed: runId });
  const scope = new CancellationScope();
  let state: RunState | undefined;
  let openingFailure: unknown;
  let ended = false;
  let underWay = false;

  const ofThisRun = (pointer: { run: string }): void => onlyThis(run, pointer.run);
  listenToPeople(() => state);
  setHandler(opened, async () => {
    await condition(() => state !== undefined || openingFailure !== undefined);
    if (openingFailure) throw reasonOf(openingFailure);
    return { run };
  });
  setHandler(progress, () => ({
    phase: state?.status.phase ?? 'Pending',
    step: state?.status.steps.find(({ phase }) => phase === 'Running')?.name,
    waitingFor: state?.status.steps.find(({ waitingFor }) => waitingFor)?.waitingFor?.role,
  }));
  setHandler(
    cancelRun,
    async () => {
      scope.cancel();
      await condition(() => ended);
    },
    { validator: ofThisRun },
  );
  setHandler(
    retryStep,
    async ({ step }) => {
      await condition(() => underWay || openingFailure !== undefined);
      // A run that had ended is resumed by the start that brought this message; one that waits goes on from here.
      if (state?.step(step).phase === 'NeedsGuidance') {
        state.guided.add(step);
        await state.recordStep(step, { phase: 'Running', waitingFor: null });
      }
    },
    { validator: ofThisRun },
  );

  try {
    await scope.run(async () => {
      const { agentWorkflow, product, startedBy, target, release, instructionsKey, cause } = input;
      const opening = await openRun({
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
      state = new RunState(input, run, opening);
      if (input.resume?.retry !== undefined) await retry(state, input.resume.retry);
      underWay = true;
      await takeSteps(state);
    });
  } catch (error) {
    if (!underWay && !isCancellation(error)) openingFailure = error;
    else if (isCancellation(error) && state)
      await CancellationScope.nonCancellable(async () => await end(state as RunState, 'Cancelled'));
    else throw error;
  }
  ended = true;
  await condition(allHandlersFinished);
  if (openingFailure) throw reasonOf(openingFailure);
}

async function takeSteps(state: RunState): Promise<void> {
  for (;;) {
    const next = nextSteps(state.steps, state.status.steps);
    if (next.length === 0) return await end(state, 'Succeeded');
    await takeBeside(state, next);
    if (next.some(({ name }) => ['Failed', 'Rejected'].includes(state.step(name).phase)))
      return await end(state, 'Failed');
    await followReviews(state, next);
    if (nothingChanged(state, next)) await skipTheRest(state);
    if (workflowInfo().continueAsNewSuggested) await goOnAsNew(state);
  }
}

/** Takes steps at once, and notes what the run is about: an agent's first turn reads that for itself. */
async function takeBeside(state: RunState, steps: StepSpec[]): Promise<void> {
  const scope = new CancellationScope();
  let missing: string | undefined;
  const look = async (): Promise<void> => {
    missing = await noteTarget(state);
    if (missing !== undefined) scope.cancel();
  };
  const take = async (): Promise<unknown> => await Promise.all(steps.map(async (step) => await takeStep(state, step)));
  try {
    await Promise.all([look(), scope.run(take)]);
  } catch (error) {
    if (missing === undefined || !isCancellation(error)) throw error;
  }
  const [first] = steps;
  if (first && missing !== undefined)
    await state.failStep(first.name, missing, 'Start a run on an issue that is there.');
}

/** Reads what the run is about; answers why it cannot where the code host has no such thing. */
async function noteTarget(state: RunState): Promise<string | undefined> {
  if (state.status.issue || !state.input.target) return undefined;
  try {
    const issue = await readTarget(state.ref);
    if (issue) await state.record({ issue });
    return undefined;
  } catch (error) {
    if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error;
    return reasonOf(error).message;
  }
}

async function takeStep(state: RunState, step: StepSpec): Promise<void> {
  try {
    if (step.type === 'human') await runHumanStep(state, step.name);
    else if (step.type === 'merge') await runMergeStep(state, step.name);
    else if (step.when) await runConflictStep(state, step);
    else await runAgentStep(state, step);
  } catch (error) {
    if (isCancellation(error)) throw error;
    if (!(error instanceof ActivityFailure) && !(error instanceof ChildWorkflowFailure)) throw error;
    await state.failStep(step.name, reasonOf(error).message, 'Mend what it names, then retry the step.');
  }
}

async function runHumanStep(state: RunState, step: string): Promise<void> {
  // Before anybody can approve: the code host merges no draft.
  if (state.status.pullRequest) await markPullRequestReady(state.ref);
  const waitingFor = { role: 'member', since: timestamp(), what: 'approve or reject the Change' };
  await state.recordStep(step, {
    phase: 'Waiting',
    startedAt: timestamp(),
    waitingFor,
    failure: null,
    finishedAt: null,
  });
  await condition(() => state.step(step).phase !== 'Waiting');
}

async function goOnAsNew(state: RunState): Promise<void> {
  await condition(allHandlersFinished);
  await continueAsNew<typeof runAgentWorkflow>({
    ...state.input,
    resume: { run: state.ref.run, guided: [...state.guided] },
  });
}

function onlyThis(run: string, named: string): void {
  if (run !== named)
    throw ApplicationFailure.nonRetryable(`The run "${named}" is not going on any more; "${run}" is.`, 'conflict');
}
