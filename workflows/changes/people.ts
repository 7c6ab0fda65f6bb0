import { ApplicationFailure, condition, proxyActivities, setHandler } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { outside } from '../activity-options.ts';
import { type Decision, type StepPointer, approveStep, guideStep, rejectStep } from './messages.ts';
import { type RunState, timestamp } from './run-state.ts';

const { readPullRequest } = proxyActivities<Activities>(outside);

const refused = (message: string): ApplicationFailure => ApplicationFailure.nonRetryable(message, 'conflict');

/** Takes people's decisions on the steps of a run; each is answered once it is in the store. */
export function listenToPeople(current: () => RunState | undefined): void {
  const stepIn = (phase: 'Waiting' | 'NeedsGuidance', { run, step }: { run: string; step: string }): RunState => {
    const state = current();
    if (state?.ref.run !== run) throw refused(`The run "${run}" is not going on any more. Start it again.`);
    const status = state.step(step);
    if (status.phase !== phase)
      throw refused(`The step "${step}" of run "${run}" is ${status.phase}, not ${phase}: there is nothing to decide.`);
    return state;
  };
  const waiting = (decision: Decision): void => void stepIn('Waiting', decision);

  setHandler(
    approveStep,
    async (decision) => {
      const headSha = await approvedHead(stepIn('Waiting', decision), decision);
      const { by, role, note, step } = decision;
      await stepIn('Waiting', decision).recordStep(step, {
        phase: 'Succeeded',
        decision: {
          by,
          role,
          outcome: 'approved',
          at: timestamp(),
          ...(note ? { note } : {}),
          ...(headSha ? { headSha } : {}),
        },
        waitingFor: null,
        finishedAt: timestamp(),
      });
    },
    { validator: waiting },
  );

  setHandler(
    rejectStep,
    async (decision) => {
      const { by, role, note, step } = decision;
      const reason = `${by} rejected it${note ? `: ${note}` : '.'}`;
      await stepIn('Waiting', decision).recordStep(step, {
        phase: 'Rejected',
        decision: { by, role, outcome: 'rejected', at: timestamp(), ...(note ? { note } : {}) },
        failure: {
          reason,
          resource: `step ${step} of run ${decision.run}`,
          fix: 'Change the issue and start a new run.',
          at: timestamp(),
        },
        waitingFor: null,
        finishedAt: timestamp(),
      });
    },
    { validator: waiting },
  );

  setHandler(
    guideStep,
    async (pointer) => {
      const state = stepIn('NeedsGuidance', pointer);
      state.guided.add(pointer.step);
      await state.recordStep(pointer.step, { phase: 'Running', waitingFor: null });
    },
    { validator: (pointer: StepPointer) => void stepIn('NeedsGuidance', pointer) },
  );
}

/** What is approved is one exact commit: the head that the code host has now must be the head that the run shows. */
async function approvedHead(state: RunState, { headSha, step }: Decision): Promise<string | undefined> {
  const shown = state.status.pullRequest;
  if (!shown) return undefined;
  const now = await readPullRequest(state.ref);
  if (now.headSha !== shown.headSha) {
    await state.record({ pullRequest: { number: now.number, url: now.url, headSha: now.headSha } });
    throw refused(
      `Pull request #${shown.number} has commits that "${step}" did not show. Look at ${now.headSha} and approve that.`,
    );
  }
  if (headSha !== undefined && headSha !== now.headSha)
    throw refused(
      `You approved ${headSha}, but the head of pull request #${shown.number} is ${now.headSha}. Look again and approve that.`,
    );
  return now.headSha;
}

/** Marks a step as waiting for guidance and comes back when somebody has given it. */
export async function awaitGuidance(state: RunState, step: string, what: string): Promise<void> {
  state.guided.delete(step);
  await state.recordStep(step, { phase: 'NeedsGuidance', waitingFor: { role: 'member', since: timestamp(), what } });
  await condition(() => state.guided.has(step));
}
