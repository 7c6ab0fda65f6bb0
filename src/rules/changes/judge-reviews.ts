import type { StepSpec } from '../agents/kinds.ts';
import type { StepStatus } from './kinds.ts';

/** How often a review may send work back before a person is asked. */
export const reviewRoundsMax = 3;

export type ReviewVerdict =
  | { next: 'go-on' }
  /** The reviewed step does its work again, then everything from there to the reviews. */
  | { next: 'again'; step: string; repeat: string[] }
  | { next: 'ask-a-person'; step: string; repeat: string[]; summary: string };

/** Decides, once a group of steps has ended, whether a review sends the work back. */
export function judgeReviews(steps: StepSpec[], statuses: StepStatus[], ended: StepSpec[]): ReviewVerdict {
  const objections = ended.flatMap((step) => {
    const verdict = statuses.find(({ name }) => name === step.name)?.verdict;
    const reviewed = step.type === 'agent' ? step.reviews : undefined;
    return verdict?.outcome === 'changes-requested' && reviewed ? [{ step, reviewed, verdict }] : [];
  });
  const [first] = objections;
  if (!first) return { next: 'go-on' };

  const from = steps.findIndex(({ name }) => name === first.reviewed);
  const to = Math.max(...ended.map((step) => steps.indexOf(step)));
  const repeat = steps.slice(from + 1, to + 1).map(({ name }) => name);
  const rounds = statuses.find(({ name }) => name === first.reviewed)?.rounds ?? 0;
  if (rounds < reviewRoundsMax) return { next: 'again', step: first.reviewed, repeat };
  const summary = objections.map(({ step, verdict }) => `${step.name}: ${verdict.summary}`).join('\n');
  return { next: 'ask-a-person', step: first.reviewed, repeat, summary };
}
