import type { Host } from './host.ts';
import { writeCommit } from './git/commits.ts';
import { mergeTrees } from './git/merges.ts';
import { isAncestor } from './git/revisions.ts';
import { toSignature } from './accounts.ts';
import { readMergeability, findPullById } from './pulls.ts';
import { findBranchSha } from './repositories.ts';
import type { Repository } from './tables.ts';

/** Checks mergeability in the background. As on GitHub, the first request gets "unknown" and triggers the check. */
export function scheduleMergeabilityCheck(host: Host, repository: Repository, pullId: number): void {
  host.runInBackground(host.runExclusive(`mergeability/${pullId}`, () => checkMergeability(host, repository, pullId)));
}

async function checkMergeability(host: Host, repository: Repository, pullId: number): Promise<void> {
  const request = findPullById(host, pullId);
  if (request === undefined || request.issue.state !== 'open' || readMergeability(host, repository, request) !== null)
    return;
  const { pull, issue } = request;
  const baseSha = findBranchSha(host, repository.id, pull.baseRef);
  if (baseSha === undefined) return;
  const directory = host.directory(repository);
  const tree = await mergeTrees(host.git, directory, [baseSha, pull.headSha]);
  const testMergeSha = tree === undefined ? null : await writeTestMerge();
  host.database.update('pulls', pull.id, {
    mergeable: tree === undefined ? 0 : 1,
    checkedHead: pull.headSha,
    checkedBase: baseSha,
    behind: (await isAncestor(host.git, directory, { ancestor: baseSha, descendant: pull.headSha })) ? 0 : 1,
    testMergeSha,
  });

  async function writeTestMerge(): Promise<string> {
    const signature = toSignature(host.owner);
    const message = `Merge ${pull.headSha} into ${baseSha}`;
    const sha = await writeCommit(host.git, directory, {
      tree: tree ?? '',
      parents: [baseSha ?? '', pull.headSha],
      message,
      author: signature,
      committer: signature,
    });
    await host.git.text(directory, ['update-ref', '--', `refs/pull/${issue.number}/merge`, sha]);
    return sha;
  }
}
