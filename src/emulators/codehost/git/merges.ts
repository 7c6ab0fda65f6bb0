import type { Signature } from './commits.ts';
import { readCommit, writeCommit } from './commits.ts';
import type { Git } from './git.ts';
import { listCommitsBetween } from './revisions.ts';

/** Returns the tree of a merge of two commits, or undefined when they conflict. */
export async function mergeTrees(
  git: Git,
  directory: string,
  [ours, theirs]: [string, string],
): Promise<string | undefined> {
  const args = ['merge-tree', '--write-tree', '--no-messages', '--allow-unrelated-histories', ours, theirs];
  const { status, stdout, stderr } = await git.attempt(directory, args);
  if (status > 1) throw new Error(`git merge-tree ended with status ${status}: ${stderr.trim()}`);
  return status === 0 ? stdout.toString().trim() : undefined;
}

/** Rebases the commits of `head` onto `base` and returns the last one, or undefined when one conflicts. */
export async function rebase(
  git: Git,
  directory: string,
  { base, head, committer }: { base: string; head: string; committer: Signature },
): Promise<string | undefined> {
  let tip = base;
  for (const sha of await listCommitsBetween(git, directory, { base, head })) {
    const commit = await readCommit(git, directory, sha);
    const [parent, ...others] = commit.parents;
    if (parent === undefined || others.length > 0) continue;
    // A temporary commit with the tip's tree and the picked commit's parent makes the merge equal to a cherry-pick.
    const { tree } = await readCommit(git, directory, tip);
    const stage = await writeCommit(git, directory, {
      tree,
      parents: [parent],
      message: 'pick',
      author: committer,
      committer,
    });
    const picked = await mergeTrees(git, directory, [stage, sha]);
    if (picked === undefined) return undefined;
    tip = await writeCommit(git, directory, { ...commit, tree: picked, parents: [tip], committer });
  }
  return tip;
}
