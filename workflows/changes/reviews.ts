import { patched } from '@temporalio/workflow';
import type { StepSpec } from '../../src/rules/agents/kinds.ts';
import { judgeReviews, type ReviewVerdict } from '../../src/rules/changes/judge-reviews.ts';
import { waitForGuidance } from './human-steps.ts';
import type { RunState } from './run-state.ts';

/** Repeats the reviewed steps when reviews request changes; asks a person once the rounds of one are used up. */
export async function applyReviews(state: RunState, finished: StepSpec[]): Promise<void> {
  const verdict = judge(state, toWholeGroup(state.steps, finished));
  if (verdict.next === 'continue') return;
  if (verdict.next === 'ask-person') await waitForGuidance(state, verdict.step, verdict.summary);
  await state.record({ steps: verdict.steps.map((step) => ({ ...step, phase: 'Pending' as const })) });
}

function judge({ steps, status }: RunState, finished: StepSpec[]): ReviewVerdict {
  const verdict = judgeReviews(steps, status.steps, finished);
  const repeated = verdict.next === 'continue' ? [] : verdict.steps;
  const reviewed = repeated.filter(({ reviewRounds }) => reviewRounds !== undefined);
  if (reviewed.length <= 1 || patched('all-reviews')) return verdict;
  return judgeReviews(steps, status.steps, finished, { onlyFirst: true });
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
