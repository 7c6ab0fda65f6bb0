import { isServiceError } from '../../src/errors.ts';
import { callWorkflow } from '../../src/integrations/temporal/call-workflow.ts';
import { AgentWorkflowRunKind, type RunPhase } from '../../src/rules/changes/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { pullRequestClosedSignal } from '../../workflows/changes/messages.ts';
import { workflowIdFor } from '../changes/update-run.ts';
import type { ApiDeps } from '../deps.ts';

/** The phases in which a person decides, or is about to, in their order, so that no run is missed between the lists. */
const openPhases: RunPhase[] = ['Running', 'NeedsGuidance', 'WaitingForPerson'];

type ClosedPull = { org: string; url: string; timeoutMs: number };

/** Tells the runs of a pull request that it was closed. They read it again, because events may arrive late. */
export async function announceClosedPull(
  { store, temporal }: Pick<ApiDeps, 'store' | 'temporal'>,
  { org, url, timeoutMs }: ClosedPull,
): Promise<void> {
  for (const phase of openPhases) {
    const fields = { 'status.phase': phase };
    const { items } = await store.list(AgentWorkflowRunKind, { namespace: orgNamespace(org), fields });
    for (const run of items.filter(({ status }) => status?.pullRequest?.url === url)) {
      const handle = temporal.workflow.getHandle(workflowIdFor(run, org));
      const announcement = { run: run.metadata.name };
      const send = async (): Promise<void> => await handle.signal(pullRequestClosedSignal, announcement);
      await callWorkflow(temporal, send, { timeoutMs }).catch(ignoreCompleted);
    }
  }
}

function ignoreCompleted(error: unknown): void {
  if (!isServiceError(error) || error.reason !== 'workflow-completed') throw error;
}
