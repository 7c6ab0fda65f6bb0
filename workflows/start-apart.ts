import { WorkflowExecutionAlreadyStartedError, type Workflow } from '@temporalio/common';
import {
  CancellationScope,
  ParentClosePolicy,
  patched,
  startChild,
  type ChildWorkflowOptions,
} from '@temporalio/workflow';

type Options<T extends Workflow> = Omit<ChildWorkflowOptions, 'args' | 'parentClosePolicy' | 'workflowId'> & {
  workflowId: string;
  args: Parameters<T>;
};

/**
 * Starts a workflow that goes on by itself, whatever becomes of the one that starts it: neither its end nor its
 * cancellation is passed on. Answers the id of the execution at the server, nothing where it was started before.
 */
export async function startApart<T extends Workflow>(type: string, options: Options<T>): Promise<string | undefined> {
  const start = async () =>
    await startChild(type, { ...options, parentClosePolicy: ParentClosePolicy.ABANDON } as ChildWorkflowOptions);
  try {
    const { firstExecutionRunId } = patched('started-apart')
      ? await CancellationScope.nonCancellable(start)
      : await start();
    return firstExecutionRunId;
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    return undefined;
  }
}
