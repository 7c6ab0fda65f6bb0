import type { RunStatus, StepStatus } from './kinds.ts';

/** A merge patch of a step, by the step's name; `null` removes a field. */
export type StepPatch = { name: string } & {
  [Field in keyof Omit<StepStatus, 'name' | 'rounds'>]?: StepStatus[Field] | null;
};
export type RunPatch = { [Field in keyof Omit<RunStatus, 'steps' | 'decisions'>]?: RunStatus[Field] | null } & {
  steps?: StepPatch[];
};
