import { toSignature } from './accounts.ts';
import { writeCommit } from './git/commits.ts';
import { mergeTrees } from './git/merges.ts';
import { listCommitsBetween, updateRef } from './git/revisions.ts';
import type { Host } from './host.ts';
import { HttpError } from './http-error.ts';
import { runPostReceive } from './post-receive.ts';
import type { PullRequest } from './pulls.ts';
import { findBranchSha } from './repositories.ts';
import type { Account, Repository } from './tables.ts';

/** Merges the base into the head, like the "Update branch" button. The caller must hold the repository's lock. */
export async function updateBranch(
  host: Host,
  repository: Repository,
  {
    request: { pull, issue },
    expectedHeadSha,
    sender,
  }: { request: PullRequest; expectedHeadSha: string | undefined; sender: Account },
): Promise<void> {
  const violation = (message: string): HttpError =>
    new HttpError(422, 'Validation Failed', [{ resource: 'PullRequest', code: 'custom', message }]);
  const directory = host.directory(repository);
  const base = findBranchSha(host, repository.id, pull.baseRef);
  if (issue.state === 'closed' || base === undefined) throw violation('The pull request is closed.');
  if (expectedHeadSha !== undefined && expectedHeadSha !== pull.headSha)
    throw new HttpError(422, 'expected head sha didn’t match current head ref.');
  if ((await listCommitsBetween(host.git, directory, { base: pull.headSha, head: base })).length === 0) {
    throw new HttpError(422, 'There are no new commits on the base branch.');
  }
  const tree = await mergeTrees(host.git, directory, [pull.headSha, base]);
  if (tree === undefined) throw new HttpError(422, 'merge conflict between base and head');
  const author = toSignature(sender);
  const message = `Merge branch '${pull.baseRef}' into ${pull.headRef}\n`;
  const commit = await writeCommit(host.git, directory, {
    tree,
    parents: [pull.headSha, base],
    message,
    author,
    committer: author,
  });
  const moved = await updateRef(host.git, directory, {
    ref: `refs/heads/${pull.headRef}`,
    from: pull.headSha,
    to: commit,
  });
  if (!moved) throw new HttpError(422, 'expected head sha didn’t match current head ref.');
  await runPostReceive(host, repository.id, sender);
}
