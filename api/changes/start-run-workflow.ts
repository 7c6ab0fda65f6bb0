import { WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError, type Workflow } from '@temporalio/common';
import { WithStartWorkflowOperation, type WorkflowHandle } from '@temporalio/client';
import { ServiceError } from '../../src/errors.ts';
import {
  waitForRunUpdate,
  runAgentWorkflowStart,
  type RunAgentWorkflowInput,
} from '../../workflows/changes/messages.ts';
import { AgentWorkflowRunKind } from '../../src/rules/changes/kinds.ts';
import { runName } from '../../src/rules/changes/run-names.ts';
import { runAgentWorkflowId } from '../../src/rules/changes/run-workflow-id.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { ApiDeps } from '../deps.ts';
import { uiPaths } from '../http/ui-paths.ts';
import { findEarlierAttempt } from '../temporal/find-earlier-attempt.ts';
import type { RequestIdentity } from '../temporal/idempotency.ts';
import { startIdempotent, type StartRequest } from '../temporal/start-idempotent.ts';
import { callWorkflow } from '../../src/integrations/temporal/call-workflow.ts';
import { assertRunAllowed } from './assert-run-allowed.ts';
import { assertStartAllowed } from './assert-start-allowed.ts';

/** Starts a run and returns its name once the run exists; a retry of the same request returns the same run. */
export async function startRunWorkflow(deps: ApiDeps, start: StartRequest<RunAgentWorkflowInput>): Promise<string> {
  const { org, request } = start;
  return startIdempotent(deps, start, {
    toWorkflowId: runAgentWorkflowId,
    start: async (input) => {
      const earlier = await findStartedRun(deps, input, request);
      if (earlier !== undefined) return earlier;
      if (input.target) await assertStartAllowed(deps, org, input.target);
      await assertRunAllowed(deps, org, runAgentWorkflowId(input));
      return await startWithUpdate(deps, input, request.id);
    },
  });
}

/** Finds the run of an earlier attempt at the request. The limits count that run already. */
async function findStartedRun(
  { store, temporal }: Pick<ApiDeps, 'store' | 'temporal'>,
  input: RunAgentWorkflowInput,
  request: RequestIdentity,
): Promise<string | undefined> {
  const found = await findEarlierAttempt(temporal, runAgentWorkflowId(input), request);
  const seed = found?.raw.workflowExecutionInfo?.firstRunId;
  if (!seed) return undefined;
  const name = runName({ ...input, seed });
  const run = await store.find(AgentWorkflowRunKind, { namespace: orgNamespace(input.org), name });
  return run && name;
}

async function startWithUpdate(
  { temporal }: ApiDeps,
  input: RunAgentWorkflowInput,
  requestId: string,
): Promise<string> {
  const { type, options } = runAgentWorkflowStart(input);
  const updateId = `wait-for-run-${requestId}`;
  return callWorkflow(temporal, async () => {
    try {
      const { run } = await temporal.workflow.executeUpdateWithStart(waitForRunUpdate, {
        updateId,
        startWorkflowOperation: new WithStartWorkflowOperation<Workflow>(type, { ...options, memo: { requestId } }),
      });
      return run;
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      return recoverStartedRun(temporal.workflow.getHandle(options.workflowId), {
        org: input.org,
        requestId,
        updateId,
      });
    }
  });
}

/** The workflow id is taken either by an earlier attempt of this request, whose response was lost, or by another run. */
async function recoverStartedRun(
  handle: WorkflowHandle,
  { org, requestId, updateId }: { org: string; requestId: string; updateId: string },
): Promise<string> {
  const { memo } = await handle.describe();
  const { run } = await handle.executeUpdate(waitForRunUpdate, { updateId }).catch(async (error: unknown) => {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    return handle.getUpdateHandle<{ run: string }>(updateId).result();
  });
  if (memo?.['requestId'] === requestId) return run;
  throw new ServiceError(
    'run-in-progress',
    `The run "${run}" is already in progress for this target. Wait until it finishes, or cancel it.`,
    { links: [{ title: `Change ${run}`, url: uiPaths.run(org, run) }] },
  );
}
