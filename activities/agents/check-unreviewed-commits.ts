import type { Checkout } from '../../src/integrations/git/checkout.ts';
import { missingBranchError, prepareWorkingTree, type Workspace } from './working-tree.ts';

/** The tip of the branch, and whether it has commits after the reviewed one that are not clean merges of the base. */
export type UnreviewedCommitsCheck = { headSha: string; hasUnreviewedCommits: boolean };

export async function checkUnreviewedCommits({
  reviewedSha,
  ...workspace
}: Workspace & { reviewedSha: string }): Promise<UnreviewedCommitsCheck> {
  const { checkout, baseSha, branchSha: headSha } = await prepareWorkingTree(workspace);
  if (!headSha) throw missingBranchError(workspace.context);
  return { headSha, hasUnreviewedCommits: await hasUnreviewedCommits(checkout, { reviewedSha, headSha, baseSha }) };
}

/** A longer chain of merges counts as unreviewed, so that a person looks at it. */
const inspectedMergesMax = 50;

/** A merge of the base that git can reproduce without a conflict needs no review, no matter who pushed it. */
export async function hasUnreviewedCommits(
  checkout: Checkout,
  { reviewedSha, headSha, baseSha }: { reviewedSha: string; headSha: string; baseSha: string },
): Promise<boolean> {
  let commit = headSha;
  for (let merges = 0; merges < inspectedMergesMax && commit !== reviewedSha; merges += 1) {
    const [before, merged, ...more] = await checkout.listParents(commit);
    if (before === undefined || merged === undefined || more.length > 0) return true;
    if (!(await checkout.isAncestor(merged, baseSha)) || !(await checkout.isCleanMerge(commit))) return true;
    commit = before;
  }
  return commit !== reviewedSha;
}
