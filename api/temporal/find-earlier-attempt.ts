import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/common';
import { callWorkflow } from '../../src/integrations/temporal/call-workflow.ts';
import type { RequestIdentity } from './idempotency.ts';

/**
 * Finds the workflow execution that an earlier attempt at the request started, when its response was lost. It may have
 * completed, so that another start would not meet it.
 */
export async function findEarlierAttempt(
  temporal: Client,
  workflowId: string,
  { id, hasIdempotencyKey }: RequestIdentity,
): Promise<WorkflowExecutionDescription | undefined> {
  if (!hasIdempotencyKey) return undefined;
  const handle = temporal.workflow.getHandle(workflowId);
  const found = await callWorkflow(temporal, async () => await handle.describe().catch(ignoreMissing));
  return found?.memo?.['requestId'] === id ? found : undefined;
}

function ignoreMissing(error: unknown): undefined {
  if (!(error instanceof WorkflowNotFoundError)) throw error;
  return undefined;
}
