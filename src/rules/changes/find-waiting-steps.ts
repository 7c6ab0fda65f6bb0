import type { AgentWorkflowRun, RunPhase, StepStatus } from './kinds.ts';

/** The phases of runs with a step that may wait for a person; a merge waits while its run is still Running. */
export const waitingRunPhases = ['WaitingForPerson', 'NeedsGuidance', 'Running'] as const satisfies RunPhase[];

/** Returns the steps of a run that continue only when a person acts. */
export const findWaitingSteps = ({ status }: Pick<AgentWorkflowRun, 'status'>): StepStatus[] =>
  waitingRunPhases.some((phase) => phase === status?.phase) ? (status?.steps ?? []).filter(waitsForPerson) : [];

const waitsForPerson = ({ phase, waitingFor }: StepStatus): boolean =>
  phase === 'Waiting' ||
  phase === 'NeedsGuidance' ||
  (phase === 'Running' && waitingFor !== undefined && waitingFor.role !== 'codehost');
