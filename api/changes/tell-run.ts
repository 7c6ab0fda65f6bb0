import type { Context } from 'hono';
import { notFound, ServiceError } from '../../src/errors.ts';
import { isRunOver } from '../../src/rules/access/run-actions.ts';
import type { AgentWorkflowRun, StepStatus } from '../../src/rules/changes/kinds.ts';
import { workflowIdAnnotation } from '../../src/rules/changes/run-names.ts';
import { runAgentWorkflowId, type RunAgentWorkflowInput } from '../../workflows/changes/messages.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';
import { speaking } from '../temporal.ts';
import { getRunOf, runView } from './run-view.ts';

type RunRef = { org: string; run: string };

/** What the run was started with, as far as the run says. */
export function inputOf(
  { agentWorkflow, product, startedBy, target, release }: AgentWorkflowRun['spec'],
  org: string,
): RunAgentWorkflowInput {
  return {
    org,
    agentWorkflow,
    product,
    startedBy,
    ...(target && { target }),
    ...(release && { release: { name: release.name, version: release.version } }),
  };
}

/** The workflow that owns the run. */
export function workflowOf({ metadata, spec }: AgentWorkflowRun, org: string): string {
  return metadata.annotations?.[workflowIdAnnotation] ?? runAgentWorkflowId(inputOf(spec, org));
}

export function stepOf(run: AgentWorkflowRun, name: string): StepStatus {
  const step = run.status?.steps.find((candidate) => candidate.name === name);
  if (!step) throw notFound('step', name, `run "${run.metadata.name}"`);
  return step;
}

export function refuseOver(run: AgentWorkflowRun): void {
  if (isRunOver(run))
    throw new ServiceError(
      'conflict',
      `The run "${run.metadata.name}" is already ${run.status?.phase}: there is nothing to decide any more.`,
    );
}

/** Tells the run's workflow something, waits until it is done, and shows the run as it is then. */
export async function tellRun(
  c: Context<ApiEnv>,
  { store, temporal }: ApiDeps,
  { ref, tell }: { ref: RunRef; tell: () => Promise<void> },
) {
  await speaking(temporal, tell);
  return runView(store, await getRunOf(store, ref), { org: ref.org, role: c.get('role') });
}
