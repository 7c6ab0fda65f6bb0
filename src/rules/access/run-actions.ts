import type { AgentWorkflowRun, StepStatus } from '../changes/kinds.ts';
import { actionsFor, type Action, type Possibility } from './actions.ts';
import type { OrgRole } from './roles.ts';

const over: readonly string[] = ['Succeeded', 'Failed', 'Cancelled'];

export const isRunOver = (run: AgentWorkflowRun): boolean => over.includes(run.status?.phase ?? 'Pending');

/** What can be done with a run now: only the steps that wait for somebody are named. */
export function runActions(run: AgentWorkflowRun, role: OrgRole | undefined): Action[] {
  const ended = isRunOver(run) ? `The run is already ${run.status?.phase}.` : undefined;
  const steps = ended ? [] : (run.status?.steps ?? []).flatMap(stepPossibilities);
  return actionsFor(role, [...steps, { name: 'cancelRun', needs: 'member', hindrance: ended }]);
}

function stepPossibilities({ name: step, phase }: StepStatus): Possibility[] {
  const named = (...names: string[]): Possibility[] => names.map((name) => ({ name, needs: 'member', step }));
  if (phase === 'Waiting') return named('approveStep', 'rejectStep');
  if (phase === 'NeedsGuidance') return named('guideStep', 'retryStep');
  return phase === 'Failed' ? named('retryStep') : [];
}
