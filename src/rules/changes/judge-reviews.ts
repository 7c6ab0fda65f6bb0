import type { StepSpec } from '../agents/kinds.ts';
import type { StepStatus } from './kinds.ts';

/** A step is repeated at most this often because of reviews; then a person is asked. */
export const reviewRoundsMax = 3;

export type ReviewVerdict =
  | { next: 'continue' }
  /** Repeats the reviewed step and all steps from there to the reviews. */
  | { next: 'redo'; step: string; stepsToRepeat: string[] }
  | { next: 'ask-person'; step: string; stepsToRepeat: string[]; summary: string };

/** Decides after a group of steps has finished whether a review repeats earlier steps. */
export function judgeReviews(steps: StepSpec[], statuses: StepStatus[], finished: StepSpec[]): ReviewVerdict {
  const rejections = finished.flatMap((step) => {
    const verdict = statuses.find(({ name }) => name === step.name)?.verdict;
    const reviewed = step.type === 'agent' ? step.reviews : undefined;
    return verdict?.outcome === 'changes-requested' && reviewed ? [{ step, reviewed, verdict }] : [];
  });
  const [first] = rejections;
  if (!first) return { next: 'continue' };

  const from = steps.findIndex(({ name }) => name === first.reviewed);
  const to = Math.max(...finished.map((step) => steps.indexOf(step)));
  const stepsToRepeat = steps.slice(from + 1, to + 1).map(({ name }) => name);
  const reviewRounds = statuses.find(({ name }) => name === first.reviewed)?.reviewRounds ?? 0;
  if (reviewRounds < reviewRoundsMax) return { next: 'redo', step: first.reviewed, stepsToRepeat };
  const summary = rejections.map(({ step, verdict }) => `${step.name}: ${verdict.summary}`).join('\n');
  return { next: 'ask-person', step: first.reviewed, stepsToRepeat, summary };
}
