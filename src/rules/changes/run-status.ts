import type { StepSpec } from '../agents/kinds.ts';
import type { RunPhase, RunStatus, StepStatus } from './kinds.ts';

/** A merge patch of a step, by the step's name; `null` removes a field. */
export type StepPatch = { name: string } & {
  [Field in keyof Omit<StepStatus, 'name'>]?: StepStatus[Field] | null;
};
export type RunPatch = { [Field in keyof Omit<RunStatus, 'steps'>]?: RunStatus[Field] | null } & {
  steps?: StepPatch[];
};

export function createRunStatus(steps: StepSpec[], startedAt: string): RunStatus {
  return { phase: 'Pending', startedAt, steps: steps.map(({ name }) => ({ name, phase: 'Pending' })) };
}

/** Applies a merge patch, which is idempotent: applying it twice has the same result. */
export function patchRunStatus(status: RunStatus, { steps: stepPatches = [], ...rest }: RunPatch): RunStatus {
  const steps = status.steps.map((step) => {
    const patch = stepPatches.find(({ name }) => name === step.name);
    return patch ? applyMergePatch(step, patch) : step;
  });
  return applyMergePatch({ ...status, steps }, rest);
}

function applyMergePatch<T extends object>(current: T, patch: { [Field in keyof T]?: T[Field] | null }): T {
  const entries = Object.entries({ ...current, ...patch }).filter(([, value]) => value !== null);
  return Object.fromEntries(entries) as T;
}

/** Derives the phase of an active run from the phases of its steps. */
export function toActivePhase(steps: StepStatus[]): RunPhase {
  if (steps.some(({ phase }) => phase === 'NeedsGuidance')) return 'NeedsGuidance';
  if (steps.some(({ phase }) => phase === 'Waiting')) return 'WaitingForPerson';
  return 'Running';
}

export const isTerminalRunPhase = (phase: RunPhase): boolean =>
  phase === 'Succeeded' || phase === 'Failed' || phase === 'Cancelled';
