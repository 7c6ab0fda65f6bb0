import { WorkflowExecutionAlreadyStartedError, type Workflow } from '@temporalio/common';
import { WithStartWorkflowOperation } from '@temporalio/client';
import { ServiceError } from '../../src/errors.ts';
import {
  promoteReleaseStart,
  waitForReleaseUpdate,
  type PromoteReleaseInput,
} from '../../workflows/releases/messages.ts';
import { ReleaseKind } from '../../src/rules/releases/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { ApiDeps } from '../deps.ts';
import { uiPaths } from '../http/ui-paths.ts';
import { findEarlierAttempt } from '../temporal/find-earlier-attempt.ts';
import type { RequestIdentity } from '../temporal/idempotency.ts';
import { startIdempotent, type StartRequest } from '../temporal/start-idempotent.ts';
import { callWorkflow } from '../../src/integrations/temporal/call-workflow.ts';

/** Starts a Release and returns its name once the Release exists; a retry of the same request returns the same Release. */
export async function startReleaseWorkflow(deps: ApiDeps, start: StartRequest<PromoteReleaseInput>): Promise<string> {
  const { request } = start;
  return startIdempotent(deps, start, {
    toWorkflowId: (input) => promoteReleaseStart(input).options.workflowId,
    start: async (input) =>
      (await findStartedRelease(deps, input, request)) ?? (await startWithUpdate(deps, input, request.id)),
  });
}

/** Finds the Release of an earlier attempt at the request that has ended, because another start would restart it. */
async function findStartedRelease(
  { store, temporal }: ApiDeps,
  input: PromoteReleaseInput,
  request: RequestIdentity,
): Promise<string | undefined> {
  const found = await findEarlierAttempt(temporal, promoteReleaseStart(input).options.workflowId, request);
  // An attempt that failed has not opened the Release of the commit, which may be that of another request.
  if (found?.status.name !== 'COMPLETED') return undefined;
  const { items } = await store.list(ReleaseKind, {
    namespace: orgNamespace(input.org),
    fields: { 'spec.product': input.product, 'spec.commit': input.commit },
  });
  return items[0]?.metadata.name;
}

async function startWithUpdate({ temporal }: ApiDeps, input: PromoteReleaseInput, requestId: string): Promise<string> {
  const { type, options } = promoteReleaseStart(input);
  const updateId = `wait-for-release-${requestId}`;
  return callWorkflow(temporal, async () => {
    try {
      const { release } = await temporal.workflow.executeUpdateWithStart(waitForReleaseUpdate, {
        updateId,
        startWorkflowOperation: new WithStartWorkflowOperation<Workflow>(type, { ...options, memo: { requestId } }),
      });
      return release;
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      const handle = temporal.workflow.getHandle(options.workflowId);
      const { memo } = await handle.describe();
      const { release } = await handle.executeUpdate(waitForReleaseUpdate, { updateId });
      if (memo?.['requestId'] === requestId) return release;
      throw new ServiceError(
        'release-in-progress',
        `The Release "${release}" of this commit is already in progress. Wait until it finishes, or cancel it.`,
        { links: [{ title: `Release ${release}`, url: uiPaths.release(input.org, release) }] },
      );
    }
  });
}
