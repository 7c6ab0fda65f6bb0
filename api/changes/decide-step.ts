import type { Context } from 'hono';
import type { z } from '@hono/zod-openapi';
import type { AgentWorkflowRun } from '../../src/rules/changes/kinds.ts';
import type { Store } from '../../src/store/store.ts';
import type { approveStepUpdate } from '../../workflows/changes/messages.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';
import { getRunByName } from './run-view.ts';
import type { DecisionBody } from './schemas.ts';
import { assertNotFinished, getStep, updateRun, workflowIdFor } from './update-run.ts';

type StepRef = { org: string; run: string; step: string };
type Decision = {
  ref: StepRef;
  body: z.infer<typeof DecisionBody>;
  action: 'approveStep' | 'rejectStep';
  update: typeof approveStepUpdate;
};

/** Returns a run that has not finished and has the step. */
export async function getRunWithStep(store: Store, { step, ...ref }: StepRef): Promise<AgentWorkflowRun> {
  const run = await getRunByName(store, ref);
  getStep(run, step);
  assertNotFinished(run);
  return run;
}

/** Sends the decision of the caller to the workflow of the run, and returns the view of the run after it. */
export async function decideStep(
  c: Context<ApiEnv>,
  deps: ApiDeps,
  run: AgentWorkflowRun,
  { ref: { step, ...ref }, body: { note, headSha }, action, update }: Decision,
) {
  const decision = {
    run: ref.run,
    step,
    by: c.get('caller').email,
    role: c.get('role') ?? 'member',
    ...(note !== undefined && { note }),
    ...(headSha !== undefined && { headSha }),
  };
  const proof = deps.signDecision({ action, scope: ref, decision });
  const handle = deps.temporal.workflow.getHandle(workflowIdFor(run, ref.org));
  const send = async (): Promise<void> => await handle.executeUpdate(update, { args: [decision, proof] });
  return await updateRun(c, deps, { ref, update: send, decides: { name: step, phase: 'Waiting' } });
}
