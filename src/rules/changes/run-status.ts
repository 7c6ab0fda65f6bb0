import type { StepSpec } from '../agents/kinds.ts';
import type { RunPhase, RunStatus, StepStatus } from './kinds.ts';

/** New values for parts of a run's status; a step is named and replaced field by field, `null` takes a field away. */
export type StepPatch = { name: string } & {
  [Field in keyof Omit<StepStatus, 'name'>]?: StepStatus[Field] | null;
};
export type RunPatch = { [Field in keyof Omit<RunStatus, 'steps'>]?: RunStatus[Field] | null } & {
  steps?: StepPatch[];
};

export function newRunStatus(steps: StepSpec[], startedAt: string): RunStatus {
  return { phase: 'Pending', startedAt, steps: steps.map(({ name }) => ({ name, phase: 'Pending' })) };
}

/** Applying the same patch twice gives what applying it once gave. */
export function patchRunStatus(status: RunStatus, { steps: stepPatches = [], ...rest }: RunPatch): RunStatus {
  const steps = status.steps.map((step) => {
    const patch = stepPatches.find(({ name }) => name === step.name);
    return patch ? merged(step, patch) : step;
  });
  return merged({ ...status, steps }, rest);
}

function merged<T extends object>(current: T, patch: { [Field in keyof T]?: T[Field] | null }): T {
  const entries = Object.entries({ ...current, ...patch }).filter(([, value]) => value !== null);
  return Object.fromEntries(entries) as T;
}

/** What the whole run is doing while it is under way, from what its steps are doing. */
export function phaseUnderWay(steps: StepStatus[]): RunPhase {
  if (steps.some(({ phase }) => phase === 'NeedsGuidance')) return 'NeedsGuidance';
  if (steps.some(({ phase }) => phase === 'Waiting')) return 'WaitingForPerson';
  return 'Running';
}

export const runEnded = (phase: RunPhase): boolean =>
  phase === 'Succeeded' || phase === 'Failed' || phase === 'Cancelled';
