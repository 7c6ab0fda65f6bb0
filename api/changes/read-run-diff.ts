import type { Diff } from '../../src/integrations/codehost/codehost.ts';
import type { AgentWorkflowRun } from '../../src/rules/changes/kinds.ts';
import { findRunRepo } from '../../src/rules/changes/resolve-run-repo.ts';
import { runBranch } from '../../src/rules/changes/run-names.ts';
import { ProductKind } from '../../src/rules/products/kinds.ts';
import type { ApiDeps } from '../deps.ts';

export type RunDiff = Diff & { source: 'merge-commit' | 'pull-request' | 'branch' };

/** Reads what a run has changed so far, or what it merged. Returns undefined for a run without a commit. */
export async function readRunDiff(
  { store, codehost }: Pick<ApiDeps, 'store' | 'codehost'>,
  org: string,
  run: AgentWorkflowRun,
): Promise<RunDiff | undefined> {
  const { namespace, name } = run.metadata;
  const repo = findRunRepo(run, await store.find(ProductKind, { namespace, name: run.spec.product }));
  if (repo === undefined) return undefined;
  const host = await codehost.forOrg(org);
  const { mergeCommit, pullRequest, baseBranch } = run.status ?? {};
  if (mergeCommit !== undefined) return { ...(await host.getCommitDiff(repo, mergeCommit)), source: 'merge-commit' };
  if (pullRequest) return { ...(await host.getPullRequestDiff(repo, pullRequest.number)), source: 'pull-request' };
  const head = await host.findBranchHead(repo, runBranch(name));
  if (head === undefined) return undefined;
  const base = baseBranch ?? (await host.getRepository(repo)).defaultBranch;
  return { ...(await host.getBranchDiff(repo, { base, head })), source: 'branch' };
}
