import type { StepSpec } from '../agents/kinds.ts';
import type { StepStatus } from './kinds.ts';

const passed = new Set<StepStatus['phase']>(['Succeeded', 'Skipped']);

/** The steps to run now: the first that has not passed, with its neighbours of the same parallel group; none at the end. */
export function nextSteps(steps: StepSpec[], statuses: StepStatus[]): StepSpec[] {
  const isOpen = ({ name }: StepSpec): boolean => !passed.has(phaseOf(statuses, name));
  const first = steps.find(isOpen);
  if (!first) return [];
  if (first.parallel === undefined) return [first];
  return steps.filter((step) => step.parallel === first.parallel && isOpen(step));
}

function phaseOf(statuses: StepStatus[], name: string): StepStatus['phase'] {
  return statuses.find((status) => status.name === name)?.phase ?? 'Pending';
}

/** Where a conflicted pull request sends the run back to: the latest step before the merge that settles conflicts. */
export function resolverBefore(steps: StepSpec[], mergeStep: string): StepSpec | undefined {
  const mergeAt = steps.findIndex(({ name }) => name === mergeStep);
  return steps
    .slice(0, mergeAt)
    .findLast((step) => step.type === 'agent' && step.mode === 'change' && step.when?.pullRequest.conflicted);
}

/** The agents' steps that are taken again when the run went back to one step on its way to another. */
export function agentsBetween(steps: StepSpec[], { from, to }: { from: string; to: string }): string[] {
  const at = (wanted: string): number => steps.findIndex(({ name }) => name === wanted);
  return steps.slice(at(from) + 1, at(to)).flatMap(({ type, name }) => (type === 'agent' ? [name] : []));
}
