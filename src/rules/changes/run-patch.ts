import type { MergePatch } from '../apply-merge-patch.ts';
import type { RunStatus, StepStatus } from './kinds.ts';

/** A merge patch of a step, by the step's name; `null` removes a field. */
export type StepPatch = { name: string } & MergePatch<Omit<StepStatus, 'name' | 'rounds'>>;
export type RunPatch = MergePatch<Omit<RunStatus, 'steps' | 'decisions'>> & { steps?: StepPatch[] };
