import type { StepSpec } from '../agents/kinds.ts';
import { applyMergePatch } from '../apply-merge-patch.ts';
import { appendRecords } from './append-records.ts';
import type { RunPhase, RunStatus, StepStatus } from './kinds.ts';
import type { RunPatch } from './run-patch.ts';

export function createRunStatus(steps: StepSpec[], startedAt: string): RunStatus {
  return { phase: 'Pending', startedAt, steps: steps.map(({ name }) => ({ name, phase: 'Pending' })) };
}

/**
 * Applies a merge patch, which is idempotent: applying it twice has the same result. Rounds and decisions that the patch
 * replaces stay in the records.
 */
export function patchRunStatus(status: RunStatus, patch: RunPatch): RunStatus {
  const { steps: stepPatches = [], ...rest } = patch;
  const steps = status.steps.map((step) => {
    const stepPatch = stepPatches.find(({ name }) => name === step.name);
    return stepPatch ? applyMergePatch(step, stepPatch) : step;
  });
  return appendRecords(applyMergePatch({ ...status, steps }, rest), patch);
}

/** Derives the phase of an active run from the phases of its steps. */
export function toActivePhase(steps: StepStatus[]): RunPhase {
  if (steps.some(({ phase }) => phase === 'NeedsGuidance')) return 'NeedsGuidance';
  if (steps.some(({ phase }) => phase === 'Waiting')) return 'WaitingForPerson';
  return 'Running';
}

export const isTerminalRunPhase = (phase: RunPhase): boolean =>
  phase === 'Succeeded' || phase === 'Failed' || phase === 'Cancelled';
