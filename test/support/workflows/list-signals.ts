import type { WorkflowHandle } from '@temporalio/client';

/** Returns the signals that an execution has sent to others, in their order. */
export async function listSignals(handle: WorkflowHandle): Promise<{ signal: string; to: string }[]> {
  const { events } = await handle.fetchHistory();
  return (events ?? []).flatMap(({ signalExternalWorkflowExecutionInitiatedEventAttributes: sent }) =>
    sent ? [{ signal: sent.signalName ?? '', to: sent.workflowExecution?.workflowId ?? '' }] : [],
  );
}
