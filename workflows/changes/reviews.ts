import { patched } from '@temporalio/workflow';
import type { StepSpec } from '../../src/rules/agents/kinds.ts';
import { judgeReviews } from '../../src/rules/changes/judge-reviews.ts';
import { waitForGuidance } from './human-steps.ts';
import type { RunState } from './run-state.ts';

/** Repeats the reviewed step when a review requests changes; asks a person once the rounds are used up. */
export async function applyReviews(state: RunState, finished: StepSpec[]): Promise<void> {
  const verdict = judgeReviews(state.steps, state.status.steps, toWholeGroup(state.steps, finished));
  if (verdict.next === 'continue') return;
  const needsPerson = verdict.next === 'ask-person';
  if (needsPerson) await waitForGuidance(state, verdict.step, verdict.summary);
  const reviewRounds = needsPerson ? 0 : (state.getStep(verdict.step).reviewRounds ?? 0) + 1;
  await state.record({
    steps: [
      { name: verdict.step, phase: 'Pending', reviewRounds },
      ...verdict.stepsToRepeat.map((name) => ({ name, phase: 'Pending' as const })),
    ],
  });
}

/** Adds the steps of a parallel group that had passed before a failed one of the group was retried. */
function toWholeGroup(steps: StepSpec[], finished: StepSpec[]): StepSpec[] {
  const group = steps.filter(({ parallel }) => parallel !== undefined && parallel === finished[0]?.parallel);
  return group.length > finished.length && patched('whole-group') ? group : finished;
}

/** Reports that the agent changed nothing, which leaves nothing to review, approve or merge. */
export function hasNoChanges(state: RunState, finished: StepSpec[]): boolean {
  const isChangeStep = finished.some((step) => step.type === 'agent' && step.mode === 'change' && !step.when);
  return isChangeStep && state.status.pullRequest === undefined;
}

export async function skipPendingSteps(state: RunState): Promise<void> {
  const pending = state.status.steps.filter(({ phase }) => phase === 'Pending');
  await state.record({ steps: pending.map(({ name }) => ({ name, phase: 'Skipped' as const })) });
}
