import { WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/common';
import { WithStartWorkflowOperation, type WorkflowHandle } from '@temporalio/client';
import { ServiceError } from '../../src/errors.ts';
import {
  opened,
  runAgentWorkflowId,
  runSummary,
  type RunAgentWorkflowInput,
} from '../../workflows/changes/messages.ts';
import { searchAttributes } from '../../workflows/search-attributes.ts';
import { defaultTaskQueue } from '../../workflows/task-queues.ts';
import type { ApiDeps } from '../deps.ts';
import type { Request } from '../idempotency.ts';
import { startOnce } from '../start-once.ts';
import { speaking } from '../temporal.ts';
import { refuseTooMany } from './refuse-too-many.ts';

/** Starts a run and answers its name once it exists; the same request again answers the same run. */
export async function openRun(deps: ApiDeps, input: RunAgentWorkflowInput, request: Request): Promise<string> {
  return startOnce(deps.store, { org: input.org, request, about: input }, async () => {
    if (input.target) await refuseTooMany(deps, input.org, input.target);
    return open(deps, input, request.id);
  });
}

async function open({ temporal }: ApiDeps, input: RunAgentWorkflowInput, requestId: string): Promise<string> {
  const workflowId = runAgentWorkflowId(input);
  const updateId = `opened-${requestId}`;
  return speaking(temporal, async () => {
    try {
      const { run } = await temporal.workflow.executeUpdateWithStart(opened, {
        updateId,
        startWorkflowOperation: new WithStartWorkflowOperation('runAgentWorkflow', {
          taskQueue: defaultTaskQueue,
          workflowId,
          workflowIdConflictPolicy: 'FAIL',
          args: [input],
          memo: { requestId },
          typedSearchAttributes: searchAttributes({
            org: input.org,
            product: input.product,
            targetKind: input.target ? (input.target.kind ?? 'issue') : 'instructions',
          }),
          ...runSummary(input),
        }),
      });
      return run;
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      return runGoingOn(temporal.workflow.getHandle(workflowId), requestId, updateId);
    }
  });
}

/** What holds the target's place is either this very request, whose answer got lost, or somebody else's run. */
async function runGoingOn(handle: WorkflowHandle, requestId: string, updateId: string): Promise<string> {
  const { memo } = await handle.describe();
  const { run } = await handle.executeUpdate(opened, { updateId }).catch(async (error: unknown) => {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    return handle.getUpdateHandle<{ run: string }>(updateId).result();
  });
  if (memo?.['requestId'] === requestId) return run;
  throw new ServiceError(
    'conflict',
    `The run "${run}" is already going on for that target: one at a time. Wait for its end, or cancel it.`,
  );
}
