import { WorkflowExecutionAlreadyStartedError, type Workflow } from '@temporalio/common';
import { CancellationScope, ParentClosePolicy, startChild, type ChildWorkflowOptions } from '@temporalio/workflow';
import { type WorkflowStart, toChildOptions } from './workflow-start.ts';

/**
 * Starts a workflow that outlives the workflow that starts it: neither the end nor the cancellation of the parent reaches it.
 * Returns the run id of the new execution, or undefined when an execution already holds the workflow id.
 */
export async function startDetached<F extends Workflow>(start: WorkflowStart<F>): Promise<string | undefined> {
  const options: ChildWorkflowOptions = { ...toChildOptions(start), parentClosePolicy: ParentClosePolicy.ABANDON };
  try {
    const { firstExecutionRunId } = await CancellationScope.nonCancellable(
      async () => await startChild(start.type, options),
    );
    return firstExecutionRunId;
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    return undefined;
  }
}
