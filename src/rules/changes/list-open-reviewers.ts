import type { StepSpec } from '../agents/kinds.ts';
import type { StepStatus } from './kinds.ts';

/**
 * Lists the reviewers of a step whose verdict came after the step last passed. The step has addressed an earlier verdict
 * already, and its reviewer, which comes after the one that repeats the step, has not judged the new commits yet.
 */
export function listOpenReviewers(steps: StepSpec[], statuses: StepStatus[], reviewed: string): string[] {
  const passedAt = findLastResultTime(statuses, reviewed);
  const isOpen = (reviewer: string): boolean => {
    const judgedAt = findLastResultTime(statuses, reviewer);
    return passedAt === undefined || judgedAt === undefined || judgedAt > passedAt;
  };
  return steps.flatMap((step) =>
    step.type === 'agent' && step.reviews === reviewed && isOpen(step.name) ? [step.name] : [],
  );
}

/** A round that failed or asked for guidance has no result yet. */
function findLastResultTime(statuses: StepStatus[], name: string): string | undefined {
  const rounds = statuses.find((status) => status.name === name)?.rounds ?? [];
  return rounds.findLast(({ outcome }) => outcome !== undefined && !['failed', 'needs-guidance'].includes(outcome))
    ?.finishedAt;
}
