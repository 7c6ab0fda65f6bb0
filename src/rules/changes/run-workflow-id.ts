import type { AgentWorkflowRun, RunTarget } from './kinds.ts';
import { workflowIdAnnotation } from './run-names.ts';

/** The facts that the id of the workflow of a run is derived from. */
export type RunOrigin = {
  org: string;
  agentWorkflow: string;
  product: string;
  target?: RunTarget;
  /** The Release whose tag starts the run. */
  release?: { name: string; version: string };
  /**
   * Distinguishes starts without a target: the request id of a manual start, the due time of a scheduled one, or the
   * uid of the Release, whose version may have belonged to a deleted Product of the same name.
   */
  requestId?: string;
};

export function toTargetId({ target, release, product, requestId }: RunOrigin): string {
  if (target) return `${target.repo}#${target.number}`;
  return `${release ? toTag(product, release) : product}/${requestId ?? 'manual'}`;
}

export const toTag = (product: string, { version }: { version: string }): string => `${product}@${version}`;

/** The id allows one run at a time per AgentWorkflow and target. */
export const runAgentWorkflowId = (origin: RunOrigin): string =>
  `run-agent-workflow/${origin.org}/${origin.agentWorkflow}/${toTargetId(origin)}`;

/** Returns the request id that a workflow id ends with, and undefined when the run has a target. */
export function parseRequestId(workflowId: string, origin: Omit<RunOrigin, 'target'>): string | undefined {
  const prefix = runAgentWorkflowId({ ...origin, requestId: '' });
  return workflowId.startsWith(prefix) ? workflowId.slice(prefix.length) : undefined;
}

/** The annotation gives only the request id, because it could name a workflow of another org. */
export function toRunOrigin({ metadata, spec }: Pick<AgentWorkflowRun, 'metadata' | 'spec'>, org: string): RunOrigin {
  const { agentWorkflow, product, target } = spec;
  const release = spec.release && { name: spec.release.name, version: spec.release.version };
  const origin = { org, agentWorkflow, product, ...(release && { release }) };
  const requestId = parseRequestId(metadata.annotations?.[workflowIdAnnotation] ?? '', origin);
  return { ...origin, ...(target && { target }), ...(requestId !== undefined && { requestId }) };
}
