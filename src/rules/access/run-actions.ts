import type { AgentWorkflowRun, StepStatus } from '../changes/kinds.ts';
import { actionsFor, type Action, type ActionRule } from './actions.ts';
import type { OrgRole } from './roles.ts';

const finishedPhases: readonly string[] = ['Succeeded', 'Failed', 'Cancelled'];

export const isRunFinished = (run: AgentWorkflowRun): boolean =>
  finishedPhases.includes(run.status?.phase ?? 'Pending');

/** Lists the operations on a run; only steps that wait for a person, or have failed, have operations. */
export function runActions(run: AgentWorkflowRun, role: OrgRole | undefined, selfApproval?: string): Action[] {
  const blockedBy = isRunFinished(run) ? `The run is already ${run.status?.phase}.` : undefined;
  const steps = (run.status?.steps ?? []).flatMap((step) => stepActionRules(run, step, selfApproval));
  return actionsFor(role, [...steps, { name: 'cancelRun', requiredRole: 'member', blockedBy }]);
}

function stepActionRules(
  run: AgentWorkflowRun,
  { name: step, phase }: StepStatus,
  selfApproval: string | undefined,
): ActionRule[] {
  const toRule = (name: string): ActionRule => ({ name, requiredRole: 'member', step });
  if (phase === 'Failed') return [{ ...toRule('retryStep'), blockedBy: failedStepRetryViolation(run) }];
  if (isRunFinished(run)) return [];
  if (phase === 'Waiting') return [{ ...toRule('approveStep'), selfApproval }, toRule('rejectStep')];
  return phase === 'NeedsGuidance' ? [toRule('guideStep'), toRule('retryStep')] : [];
}

/** Returns why a failed step cannot be retried: a retry reopens a run that has failed as a whole. */
export function failedStepRetryViolation({ status }: Pick<AgentWorkflowRun, 'status'>): string | undefined {
  if (status?.phase === 'Failed') return undefined;
  return `The run is ${status?.phase ?? 'Pending'}. Its failed step can be retried once its other steps have ended.`;
}
