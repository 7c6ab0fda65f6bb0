import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { WithStartWorkflowOperation } from '@temporalio/client';
import { ServiceError } from '../../src/errors.ts';
import { promoteReleaseId, releaseOpened, type PromoteReleaseInput } from '../../workflows/releases/messages.ts';
import { searchAttributes } from '../../workflows/search-attributes.ts';
import { defaultTaskQueue } from '../../workflows/task-queues.ts';
import type { ApiDeps } from '../deps.ts';
import type { Request } from '../idempotency.ts';
import { startOnce } from '../start-once.ts';
import { speaking } from '../temporal.ts';

/** Starts a Release and answers its name once it exists; the same request again answers the same Release. */
export async function openRelease(
  deps: ApiDeps,
  input: PromoteReleaseInput,
  asked: { request: Request; about: object },
): Promise<string> {
  return startOnce(deps.store, { org: input.org, ...asked }, () => open(deps, input, asked.request.id));
}

async function open({ temporal }: ApiDeps, input: PromoteReleaseInput, requestId: string): Promise<string> {
  const workflowId = promoteReleaseId(input);
  const updateId = `opened-${requestId}`;
  return speaking(temporal, async () => {
    try {
      const { release } = await temporal.workflow.executeUpdateWithStart(releaseOpened, {
        updateId,
        startWorkflowOperation: new WithStartWorkflowOperation('promoteRelease', {
          taskQueue: defaultTaskQueue,
          workflowId,
          workflowIdConflictPolicy: 'FAIL',
          args: [input],
          memo: { requestId },
          staticSummary: `${input.product}: release ${input.version ?? input.commit.slice(0, 12)}`,
          staticDetails: `Org **${input.org}**, ${input.repo} at ${input.commit}, started by ${input.startedBy}.`,
          typedSearchAttributes: searchAttributes({ org: input.org, product: input.product, targetKind: 'release' }),
        }),
      });
      return release;
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      const handle = temporal.workflow.getHandle(workflowId);
      const { memo } = await handle.describe();
      const { release } = await handle.executeUpdate(releaseOpened, { updateId });
      if (memo?.['requestId'] === requestId) return release;
      throw new ServiceError(
        'conflict',
        `The Release "${release}" of that commit is already in progress. Wait for its end, or cancel it.`,
      );
    }
  });
}
