import type { Host } from './host.ts';
import { writeCommit } from './git/commits.ts';
import { mergeTrees } from './git/merges.ts';
import { signatureOf } from './accounts.ts';
import { mergeability, pullById } from './pulls.ts';
import { branchSha } from './repositories.ts';
import type { Repository } from './rows.ts';

/**
 * Finds out, some time after this call, whether a pull request merges cleanly. Like on the real host, nobody knows until
 * somebody asks, and the first to ask is told so.
 */
export function judgeSoon(host: Host, repository: Repository, pullId: number): void {
  host.inBackground(host.exclusively(`mergeability/${pullId}`, () => judge(host, repository, pullId)));
}

async function judge(host: Host, repository: Repository, pullId: number): Promise<void> {
  const request = pullById(host, pullId);
  if (request === undefined || request.issue.state !== 'open' || mergeability(host, repository, request) !== null)
    return;
  const { pull, issue } = request;
  const baseSha = branchSha(host, repository.id, pull.baseRef);
  if (baseSha === undefined) return;
  const directory = host.directory(repository);
  const tree = await mergeTrees(host.git, directory, [baseSha, pull.headSha]);
  const testMergeSha = tree === undefined ? null : await writeTestMerge();
  host.database.update('pulls', pull.id, {
    mergeable: tree === undefined ? 0 : 1,
    judgedHead: pull.headSha,
    judgedBase: baseSha,
    testMergeSha,
  });

  async function writeTestMerge(): Promise<string> {
    const signature = signatureOf(host.owner);
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
