import type { AgentWorkflowRun } from './kinds.ts';

/** Returns the latest run of each Product. */
export function latestByProduct(runs: readonly AgentWorkflowRun[]): AgentWorkflowRun[] {
  const latest = new Map<string, AgentWorkflowRun>();
  for (const run of runs) {
    const other = latest.get(run.spec.product);
    if (!other || isLater(run, other)) latest.set(run.spec.product, run);
  }
  return [...latest.values()];
}

/** Runs of the same moment are in the order of their names, as in a list. */
function isLater({ metadata: one }: AgentWorkflowRun, { metadata: other }: AgentWorkflowRun): boolean {
  if (one.creationTimestamp !== other.creationTimestamp) return one.creationTimestamp > other.creationTimestamp;
  return one.name > other.name;
}
