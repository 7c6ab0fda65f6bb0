import { getExternalWorkflowHandle } from '@temporalio/workflow';

/** Signals another workflow, and ignores that it has already completed. */
export async function signalIfRunning(
  workflowId: string,
  send: (handle: ReturnType<typeof getExternalWorkflowHandle>) => Promise<void>,
): Promise<void> {
  try {
    await send(getExternalWorkflowHandle(workflowId));
  } catch (error) {
    if (!(error instanceof Error) || !/not found/i.test(error.message)) throw error;
  }
}
