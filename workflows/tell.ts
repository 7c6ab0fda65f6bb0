import { getExternalWorkflowHandle } from '@temporalio/workflow';

/** Tells another workflow; one that has ended has no need to know. */
export async function tell(
  workflowId: string,
  send: (handle: ReturnType<typeof getExternalWorkflowHandle>) => Promise<void>,
): Promise<void> {
  try {
    await send(getExternalWorkflowHandle(workflowId));
  } catch (error) {
    if (!(error instanceof Error) || !/not found/i.test(error.message)) throw error;
  }
}
