import type { StepSpec } from '../../src/rules/agents/kinds.ts';
import { judgeReviews } from '../../src/rules/changes/judge-reviews.ts';
import { awaitGuidance } from './people.ts';
import type { RunState } from './run-state.ts';

/** Sends the work back where a review objects, and asks a person where that was done often enough. */
export async function followReviews(state: RunState, ended: StepSpec[]): Promise<void> {
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
export function nothingChanged(state: RunState, ended: StepSpec[]): boolean {
  const changes = ended.some((step) => step.type === 'agent' && step.mode === 'change' && !step.when);
  return changes && state.status.pullRequest === undefined;
}

export async function skipTheRest(state: RunState): Promise<void> {
  const open = state.status.steps.filter(({ phase }) => phase === 'Pending');
  await state.record({ steps: open.map(({ name }) => ({ name, phase: 'Skipped' as const })) });
}
