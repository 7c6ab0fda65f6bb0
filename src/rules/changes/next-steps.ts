import type { StepSpec } from '../agents/kinds.ts';
import type { StepStatus } from './kinds.ts';

const passedPhases = new Set<StepStatus['phase']>(['Succeeded', 'Skipped']);

/** Returns the first step that has not passed, with the open steps of its parallel group; an empty array at the end. */
export function nextSteps(steps: StepSpec[], statuses: StepStatus[]): StepSpec[] {
  const isOpen = ({ name }: StepSpec): boolean => !passedPhases.has(getPhase(statuses, name));
  const first = steps.find(isOpen);
  if (!first) return [];
  if (first.parallel === undefined) return [first];
  return steps.filter((step) => step.parallel === first.parallel && isOpen(step));
}

function getPhase(statuses: StepStatus[], name: string): StepStatus['phase'] {
  return statuses.find((status) => status.name === name)?.phase ?? 'Pending';
}

/** Returns the last step before the merge that resolves conflicts; a pull request with conflicts repeats it. */
export function findConflictResolver(steps: StepSpec[], mergeStep: string): StepSpec | undefined {
  const mergeAt = steps.findIndex(({ name }) => name === mergeStep);
  return steps
    .slice(0, mergeAt)
    .findLast((step) => step.type === 'agent' && step.mode === 'change' && step.when?.pullRequest.conflicted);
}

/** Lists the agent steps between two steps, which a run repeats when it goes back from the later to the earlier one. */
export function listAgentStepsBetween(steps: StepSpec[], { from, to }: { from: string; to: string }): string[] {
  const at = (wanted: string): number => steps.findIndex(({ name }) => name === wanted);
  return steps.slice(at(from) + 1, at(to)).flatMap(({ type, name }) => (type === 'agent' ? [name] : []));
}
