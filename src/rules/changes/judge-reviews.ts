import type { StepSpec } from '../agents/kinds.ts';
import type { StepStatus } from './kinds.ts';

/** A step is repeated at most this often because of reviews; then a person is asked. */
export const reviewRoundsMax = 3;

/** A step that is repeated; a reviewed one counts its rounds. */
type RepeatedStep = { name: string; reviewRounds?: number };

export type ReviewVerdict =
  | { next: 'continue' }
  /** Repeats the reviewed steps and all steps from the first of them to the reviews. */
  | { next: 'redo'; steps: RepeatedStep[] }
  | { next: 'ask-person'; step: string; steps: RepeatedStep[]; summary: string };

type Options = { onlyFirst: boolean };

/** Decides after a group of steps has finished whether reviews repeat earlier steps. */
export function judgeReviews(
  steps: StepSpec[],
  statuses: StepStatus[],
  finished: StepSpec[],
  { onlyFirst }: Options = { onlyFirst: false },
): ReviewVerdict {
  const findStatus = (name: string): StepStatus | undefined => statuses.find((status) => status.name === name);
  const rejections = finished.flatMap((step) => {
    const verdict = findStatus(step.name)?.verdict;
    const reviewed = step.type === 'agent' ? step.reviews : undefined;
    return verdict?.outcome === 'changes-requested' && reviewed !== undefined ? [{ step, reviewed, verdict }] : [];
  });
  const reviewed = new Set(rejections.slice(0, onlyFirst ? 1 : undefined).map((rejection) => rejection.reviewed));
  const from = steps.findIndex(({ name }) => reviewed.has(name));
  if (from === -1) return { next: 'continue' };

  const to = Math.max(...finished.map((step) => steps.indexOf(step)));
  const getRounds = (name: string): number => findStatus(name)?.reviewRounds ?? 0;
  const exhausted = [...reviewed].find((name) => getRounds(name) >= reviewRoundsMax);
  // The answer of the person begins the rounds of every step that has used them up.
  const countRound = (name: string): number => (name === exhausted ? 0 : (getRounds(name) % reviewRoundsMax) + 1);
  const repeated = steps
    .slice(from, to + 1)
    .map(({ name }) => (reviewed.has(name) ? { name, reviewRounds: countRound(name) } : { name }));
  if (exhausted === undefined) return { next: 'redo', steps: repeated };
  const summary = rejections.map(({ step, verdict }) => `${step.name}: ${verdict.summary}`).join('\n');
  return { next: 'ask-person', step: exhausted, steps: repeated, summary };
}
