import { issueKey, latestChangeByIssue } from '../../src/rules/products/board.ts';
import { AgentWorkflowRunKind, type AgentWorkflowRun } from '../../src/rules/changes/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';

/** Returns the latest Change of each issue of a Product, keyed by `<repo>#<number>`. */
export async function listLastChanges(
  store: Store,
  { org, product }: { org: string; product: string },
): Promise<Map<string, AgentWorkflowRun>> {
  const fields = { 'spec.product': product };
  return latestChangeByIssue((await store.list(AgentWorkflowRunKind, { namespace: orgNamespace(org), fields })).items);
}

export async function findLastChange(
  store: Store,
  org: string,
  target: { repo: string; number: number },
): Promise<AgentWorkflowRun | undefined> {
  const fields = { 'spec.target.repo': target.repo, 'spec.target.number': String(target.number) };
  const { items } = await store.list(AgentWorkflowRunKind, { namespace: orgNamespace(org), fields });
  return latestChangeByIssue(items).get(issueKey(target));
}
