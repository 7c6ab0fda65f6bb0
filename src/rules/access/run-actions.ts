import type { AgentWorkflowRun, StepStatus } from '../changes/kinds.ts';
import { actionsFor, type Action, type ActionRule } from './actions.ts';
import type { OrgRole } from './roles.ts';

const finishedPhases: readonly string[] = ['Succeeded', 'Failed', 'Cancelled'];

export const isRunFinished = (run: AgentWorkflowRun): boolean =>
  finishedPhases.includes(run.status?.phase ?? 'Pending');

/** Lists the operations on a run; only steps that wait for a person, or have failed, have operations. */
export function runActions(run: AgentWorkflowRun, role: OrgRole | undefined, selfApproval?: string): Action[] {
  const blockedBy = isRunFinished(run) ? `The run is already ${run.status?.phase}.` : undefined;
  const steps = blockedBy ? [] : (run.status?.steps ?? []).flatMap((step) => stepActionRules(step, selfApproval));
  return actionsFor(role, [...steps, { name: 'cancelRun', requiredRole: 'member', blockedBy }]);
}

function stepActionRules({ name: step, phase }: StepStatus, selfApproval: string | undefined): ActionRule[] {
  const toRules = (...names: string[]): ActionRule[] => names.map((name) => ({ name, requiredRole: 'member', step }));
  if (phase === 'Waiting')
    return [{ name: 'approveStep', requiredRole: 'member', step, selfApproval }, ...toRules('rejectStep')];
  if (phase === 'NeedsGuidance') return toRules('guideStep', 'retryStep');
  return phase === 'Failed' ? toRules('retryStep') : [];
}
