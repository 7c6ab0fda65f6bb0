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
import { judgeReviews } from '../../src/rules/changes/judge-reviews.ts';
import type { RunPhase } from '../../src/rules/changes/kinds.ts';
import { nextSteps } from '../../src/rules/changes/next-steps.ts';
import { runName } from '../../src/rules/changes/run-names.ts';
import { runEnded } from '../../src/rules/changes/run-status.ts';
import { outside, store } from '../activity-options.ts';
import { runAgentStep } from './agent-step.ts';
import { runConflictStep } from './conflict-step.ts';
import { runMergeStep } from './merge-step.ts';
import { type RunAgentWorkflowInput, cancelRun, opened, progress, retryStep } from './messages.ts';
import { awaitGuidance, listenToPeople } from './people.ts';
import { RunState, timestamp } from './run-state.ts';

const { openRun } = proxyLocalActivities<Activities>(store);
const { readTarget, markPullRequestReady, closePullRequest } = proxyActivities<Activities>(outside);

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
        await state.recordStep(step, { phase: 'Running', waitingFor: undefined });
      }
    },
    { validator: ofThisRun },
  );

  try {
    await scope.run(async () => {
      const { agentWorkflow, product, startedBy, target, instructionsKey } = input;
      const opening = await openRun({
        org: input.org,
        run,
        agentWorkflow,
        product,
        startedBy,
        workflowId,
        ...(target ? { target } : {}),
        ...(instructionsKey ? { instructionsKey } : {}),
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
  if (!(await noteTarget(state))) return await end(state, 'Failed');
  for (;;) {
    const next = nextSteps(state.steps, state.status.steps);
    if (next.length === 0) return await end(state, 'Succeeded');
    await Promise.all(next.map(async (step) => await takeStep(state, step)));
    if (next.some(({ name }) => ['Failed', 'Rejected'].includes(state.step(name).phase)))
      return await end(state, 'Failed');
    await followReviews(state, next);
    if (nothingChanged(state, next)) await skipTheRest(state);
    if (workflowInfo().continueAsNewSuggested) await goOnAsNew(state);
  }
}

/** Reads what the run is about; false, with the reason on the first step, where the code host has no such thing. */
async function noteTarget(state: RunState): Promise<boolean> {
  if (state.status.issue || !state.input.target) return true;
  try {
    const issue = await readTarget(state.ref);
    if (issue) await state.record({ issue });
    return true;
  } catch (error) {
    if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error;
    const first = state.steps[0]?.name ?? '';
    await state.failStep(first, reasonOf(error).message, 'Start a run on an issue that is there.');
    return false;
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
  const waitingFor = { role: 'member', since: timestamp(), what: 'approve or reject the Change' };
  await state.recordStep(step, {
    phase: 'Waiting',
    startedAt: timestamp(),
    waitingFor,
    failure: undefined,
    finishedAt: undefined,
  });
  if (state.status.pullRequest) await markPullRequestReady(state.ref);
  await condition(() => state.step(step).phase !== 'Waiting');
}

async function followReviews(state: RunState, ended: StepSpec[]): Promise<void> {
  const verdict = judgeReviews(state.steps, state.status.steps, ended);
  if (verdict.next === 'go-on') return;
  const asked = verdict.next === 'ask-a-person';
  if (asked) await awaitGuidance(state, verdict.step, verdict.summary);
  const rounds = asked ? 0 : (state.step(verdict.step).rounds ?? 0) + 1;
  await state.record({
    steps: [
      { name: verdict.step, phase: 'Pending', rounds },
      ...verdict.repeat.map((name) => ({ name, phase: 'Pending' as const })),
    ],
  });
}

/** The agent found nothing to change: there is nothing to review, approve or merge either. */
function nothingChanged(state: RunState, ended: StepSpec[]): boolean {
  const changes = ended.some((step) => step.type === 'agent' && step.mode === 'change' && !step.when);
  return changes && state.status.pullRequest === undefined;
}

async function skipTheRest(state: RunState): Promise<void> {
  const open = state.status.steps.filter(({ phase }) => phase === 'Pending');
  await state.record({ steps: open.map(({ name }) => ({ name, phase: 'Skipped' as const })) });
}

async function end(state: RunState, phase: Extract<RunPhase, 'Succeeded' | 'Failed' | 'Cancelled'>): Promise<void> {
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
      waitingFor: undefined,
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

async function retry(state: RunState, step: string): Promise<void> {
  if (!runEnded(state.status.phase)) return;
  const failed = state.step(step);
  if (failed.phase !== 'Failed')
    throw ApplicationFailure.nonRetryable(
      `The step "${step}" is ${failed.phase}, not Failed: there is nothing to retry.`,
      'conflict',
    );
  await state.record({
    phase: 'Running',
    failure: undefined,
    finishedAt: undefined,
    steps: [{ name: step, phase: 'Pending', failure: undefined, finishedAt: undefined }],
  });
}

async function goOnAsNew(state: RunState): Promise<void> {
  await condition(allHandlersFinished);
  await continueAsNew<typeof runAgentWorkflow>({ ...state.input, resume: { run: state.ref.run } });
}

function onlyThis(run: string, named: string): void {
  if (run !== named)
    throw ApplicationFailure.nonRetryable(`The run "${named}" is not going on any more; "${run}" is.`, 'conflict');
}

/** The refusal at the bottom of a failure, as a person should read it. */
function reasonOf(error: unknown): ApplicationFailure {
  let cause: unknown = error;
  while (cause instanceof ActivityFailure || cause instanceof ChildWorkflowFailure) cause = cause.cause;
  if (cause instanceof ApplicationFailure) return ApplicationFailure.nonRetryable(cause.message, cause.type);
  return ApplicationFailure.nonRetryable(cause instanceof Error ? cause.message : String(cause), 'fault');
}
