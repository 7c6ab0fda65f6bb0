import { AgentWorkflowRunKind, type RunPhase } from '../rules/changes/kinds.ts';
import { orgNamespace } from '../rules/resource.ts';
import type { Store } from './store.ts';

const activePhases: RunPhase[] = ['Pending', 'Running'];

/** Counts the runs of an org that use workers and models at this moment. */
export async function countActiveRuns(store: Store, org: string): Promise<number> {
  const pages = await Promise.all(
    activePhases.map((phase) =>
      store.list(AgentWorkflowRunKind, { namespace: orgNamespace(org), fields: { 'status.phase': phase } }),
    ),
  );
  return pages.reduce((sum, { items }) => sum + items.length, 0);
}
