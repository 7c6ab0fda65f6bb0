import type { Client } from '@temporalio/client';
import { WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/common';

type Running = {
  /** The request that started the workflow which has the id. */
  startedBy?: string;
  isCompleted?: boolean;
  isFailed?: boolean;
  /** The id of its first execution. */
  firstRunId?: string;
};

/** Provides a client of a server that starts the workflow, or already runs one with its id. */
export function createStartingTemporal<Result>(result: Result, running?: Running) {
  const started: { workflowId: string; updateId: string; memo: unknown }[] = [];
  const handle = {
    describe: async () => {
      if (!running) throw new WorkflowNotFoundError('There is none.', 'id', undefined);
      const { startedBy, firstRunId, isCompleted, isFailed } = running;
      const status = { name: isFailed ? 'FAILED' : isCompleted ? 'COMPLETED' : 'RUNNING' };
      return { status, memo: { requestId: startedBy }, raw: { workflowExecutionInfo: { firstRunId } } };
    },
    executeUpdate: async () => {
      if (running?.isCompleted) throw new WorkflowNotFoundError('It has completed.', 'id', undefined);
      return result;
    },
    getUpdateHandle: () => ({ result: async () => result }),
  };
  const workflow = {
    getHandle: () => handle,
    executeUpdateWithStart: async (
      _update: unknown,
      {
        updateId,
        startWorkflowOperation: { options },
      }: { updateId: string; startWorkflowOperation: { options: { workflowId: string; memo: unknown } } },
    ) => {
      if (running) throw new WorkflowExecutionAlreadyStartedError('It runs.', options.workflowId, 'any');
      started.push({ workflowId: options.workflowId, updateId, memo: options.memo });
      return result;
    },
  };
  const withDeadline = async (_deadline: number, call: () => Promise<unknown>): Promise<unknown> => await call();
  return { temporal: { workflow, withDeadline } as unknown as Client, started };
}
