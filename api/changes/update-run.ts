import type { Context } from 'hono';
import { notFound, ServiceError } from '../../src/errors.ts';
import { isRunFinished } from '../../src/rules/access/run-actions.ts';
import type { AgentWorkflowRun, StepStatus } from '../../src/rules/changes/kinds.ts';
import { runAgentWorkflowId, toRunOrigin } from '../../src/rules/changes/run-workflow-id.ts';
import type { RunAgentWorkflowInput } from '../../workflows/changes/messages.ts';
import { getViewer } from '../auth/viewer.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';
import { callWorkflow } from '../../src/integrations/temporal/call-workflow.ts';
import { retryWhileShown } from './retry-while-shown.ts';
import { getRunByName, buildRunView } from './run-view.ts';

type RunRef = { org: string; run: string };
type RunUpdate = {
  ref: RunRef;
  update: () => Promise<void>;
  /** The step that the update decides, and the phase in which the step waits for it. */
  decides?: Pick<StepStatus, 'name' | 'phase'>;
};

/** Rebuilds the workflow input of a run from its resource; the instructions are not part of it. */
export const toRunInput = (run: AgentWorkflowRun, org: string): RunAgentWorkflowInput => ({
  ...toRunOrigin(run, org),
  startedBy: run.spec.startedBy,
});

export const workflowIdFor = (run: AgentWorkflowRun, org: string): string => runAgentWorkflowId(toRunOrigin(run, org));

export function getStep(run: AgentWorkflowRun, name: string): StepStatus {
  const step = run.status?.steps.find((candidate) => candidate.name === name);
  if (!step) throw notFound('step', name, `run "${run.metadata.name}"`);
  return step;
}

export function assertNotFinished(run: AgentWorkflowRun): void {
  if (isRunFinished(run))
    throw new ServiceError(
      'run-finished',
      `The run "${run.metadata.name}" has already finished: its phase is ${run.status?.phase}.`,
    );
}

/** Sends an update to the workflow of a run and returns the view of the run after the update. */
export async function updateRun(c: Context<ApiEnv>, { store, temporal }: ApiDeps, { ref, update, decides }: RunUpdate) {
  const isShown = async (): Promise<boolean> =>
    decides !== undefined && getStep(await getRunByName(store, ref), decides.name).phase === decides.phase;
  await retryWhileShown(async () => await callWorkflow(temporal, update), isShown);
  return buildRunView(store, await getRunByName(store, ref), getViewer(c, ref.org));
}
