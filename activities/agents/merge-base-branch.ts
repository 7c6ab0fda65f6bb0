import { ServiceError } from '../../src/errors.ts';
import type { RunContext } from '../changes/run-context.ts';
import { throwPushRefusal } from '../codehost/throw-push-refusal.ts';
import { assertPushable } from './assert-pushable.ts';
import { hasUnreviewedCommits } from './check-unreviewed-commits.ts';
import { missingBranchError, prepareWorkingTree, type Workspace } from './working-tree.ts';

export type BaseBranchMerge = {
  outcome: 'up-to-date' | 'merged' | 'conflicts';
  headSha: string;
  files?: string[];
  /** The branch has commits after the reviewed one that are not clean merges of the base. */
  hasUnreviewedCommits?: boolean;
};
type MergeOptions = { at: string; reviewedSha: string | undefined };

/** Merges the base branch into the run's branch and pushes the merge, unless it conflicts. */
export async function mergeBaseBranch(input: Workspace & MergeOptions): Promise<BaseBranchMerge> {
  const { checkout, baseSha, baseBranch, branchSha: headSha } = await prepareWorkingTree(input);
  const { context, at, reviewedSha } = input;
  if (!headSha) throw missingBranchError(context);
  const review: Pick<BaseBranchMerge, 'hasUnreviewedCommits'> =
    reviewedSha === undefined
      ? {}
      : { hasUnreviewedCommits: await hasUnreviewedCommits(checkout, { reviewedSha, headSha, baseSha }) };
  if (await checkout.isAncestor(baseSha, headSha)) {
    const parents = await checkout.listParents(headSha);
    // An earlier attempt that died after its push has done the merge.
    const isOurs = parents.length === 2 && parents.includes(baseSha);
    return { outcome: isOurs ? 'merged' : 'up-to-date', headSha, ...review };
  }
  // Only the owner of a fork can push to it, and only a reviewed pull request changes a guarded branch.
  if (context.targetPullRequest?.isFork || context.pushRef !== context.gitRef)
    return { outcome: 'conflicts', headSha, ...review };
  if (!(await checkout.haveCommonHistory(headSha, baseSha)))
    throw new ServiceError(
      'conflict',
      `The branch "${context.branch}" has no commit in common with ${baseBranch}, whose history may have been rewritten. Rebase the branch on the code host, then retry the step.`,
    );
  const files = await checkout.merge(baseSha, baseBranch);
  if (files.length > 0) return { outcome: 'conflicts', headSha, files: files.slice(0, 100), ...review };
  await assertPushable(context);
  const message = `Merge ${baseBranch}\n\nService-Run: ${toRunName(context)}\n`;
  const merged = await checkout.commit({ message, parents: [headSha, baseSha], commitDate: at });
  const pushed = await checkout
    .push(merged, context.gitRef, headSha)
    .catch(
      throwPushRefusal(`Merge ${baseBranch} into "${context.branch}" on the code host, or allow the service to do it.`),
    );
  if (pushed === 'moved') throw new Error(`The branch "${context.branch}" moved while the base was merged into it.`);
  return { outcome: 'merged', headSha: merged, ...review };
}

const toRunName = ({ run }: RunContext): string => run.metadata.name;
