import { getExternalWorkflowHandle } from '@temporalio/workflow';

/** Signals another workflow. Returns false if it has already completed. */
export async function signalIfRunning(
  workflowId: string,
  send: (handle: ReturnType<typeof getExternalWorkflowHandle>) => Promise<void>,
): Promise<boolean> {
  try {
    await send(getExternalWorkflowHandle(workflowId));
    return true;
  } catch (error) {
    if (!(error instanceof Error) || !/not found/i.test(error.message)) throw error;
    return false;
  }
}
