import { issueKey, lastChanges } from '../../src/rules/catalog/board.ts';
import { AgentWorkflowRunKind, type AgentWorkflowRun } from '../../src/rules/changes/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';

/** The last Change about each issue of a Product, by `<repo>#<number>`. */
export async function changesOf(
  store: Store,
  { org, product }: { org: string; product: string },
): Promise<Map<string, AgentWorkflowRun>> {
  const fields = { 'spec.product': product };
  return lastChanges((await store.list(AgentWorkflowRunKind, { namespace: orgNamespace(org), fields })).items);
}

export async function changeOf(
  store: Store,
  org: string,
  target: { repo: string; number: number },
): Promise<AgentWorkflowRun | undefined> {
  const fields = { 'spec.target.repo': target.repo, 'spec.target.number': String(target.number) };
  const { items } = await store.list(AgentWorkflowRunKind, { namespace: orgNamespace(org), fields });
  return lastChanges(items).get(issueKey(target));
}
