import { Mark } from '../../../parts/state.tsx';
import type { AgentWorkflow } from './workflow-spec.ts';

/** Whether triggers start the AgentWorkflow, or why the service rejects its definition. */
export function WorkflowState({ item: { spec, status } }: { item: Pick<AgentWorkflow, 'spec' | 'status'> }) {
  const rejected = status?.conditions?.find(({ type, status: is }) => type === 'Accepted' && is === 'False');
  if (rejected)
    return (
      <span className="row">
        <Mark state="failed" />
        Rejected: {rejected.message}
      </span>
    );
  return (
    <span className="row">
      <Mark state={spec.enabled ? 'done' : 'idle'} />
      {spec.enabled ? 'Enabled' : 'Off'}
    </span>
  );
}
