import { WorkflowExecutionAlreadyStartedError, type Workflow, type WorkflowResultType } from '@temporalio/common';
import { callWorkflow } from '../../src/integrations/temporal/call-workflow.ts';
import type { WorkflowStart } from '../../workflows/workflow-start.ts';
import type { ApiDeps } from '../deps.ts';

/**
 * Executes a short workflow and returns its result. A repeated request has the same workflow id, so it joins the running
 * workflow or returns the result of the completed one.
 */
export async function executeWorkflow<F extends Workflow>(
  { temporal }: Pick<ApiDeps, 'temporal'>,
  { type, options }: WorkflowStart<F>,
): Promise<WorkflowResultType<F>> {
  return callWorkflow(temporal, async () => {
    try {
      await temporal.workflow.start<Workflow>(type, options);
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
    return await temporal.workflow.getHandle<F>(options.workflowId).result();
  });
}
