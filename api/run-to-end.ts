import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { searchAttributes } from '../workflows/search-attributes.ts';
import { defaultTaskQueue } from '../workflows/task-queues.ts';
import type { ApiDeps } from './deps.ts';
import { speaking } from './temporal.ts';

type ShortWork = {
  workflow: string;
  /** Holds the request's id, so that the same request again is answered with what came of it. */
  workflowId: string;
  input: object;
  summary: string;
  attributes: Parameters<typeof searchAttributes>[0];
};

/** Has a workflow do something short in the outside world, and waits for what comes of it. */
export async function runToEnd<Result>({ temporal }: Pick<ApiDeps, 'temporal'>, work: ShortWork): Promise<Result> {
  const { workflow, workflowId, input, summary, attributes } = work;
  return speaking(temporal, async () => {
    try {
      await temporal.workflow.start(workflow, {
        taskQueue: defaultTaskQueue,
        workflowId,
        workflowIdConflictPolicy: 'USE_EXISTING',
        // A failed attempt may be tried again with the same key; one that succeeded is answered again.
        workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
        args: [input],
        staticSummary: summary,
        typedSearchAttributes: searchAttributes(attributes),
      });
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
    return (await temporal.workflow.getHandle(workflowId).result()) as Result;
  });
}
