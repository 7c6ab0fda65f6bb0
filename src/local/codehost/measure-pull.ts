import { readDiffTotals } from './git/diffs.ts';
import { commitsBetween, mergeBase } from './git/revisions.ts';
import type { Host } from './host.ts';
import { branchSha } from './repositories.ts';
import type { Pull, Repository } from './rows.ts';

export type PullCommits = Pick<
  Pull,
  'headSha' | 'baseRef' | 'baseSha' | 'commits' | 'additions' | 'deletions' | 'changedFiles'
>;

/** The part of a pull request that git knows. */
export async function measurePull(
  host: Host,
  repository: Repository,
  { headSha, baseRef }: { headSha: string; baseRef: string },
): Promise<PullCommits> {
  const directory = host.directory(repository);
  const baseSha = branchSha(host, repository.id, baseRef);
  if (baseSha === undefined) throw new Error(`no branch ${baseRef} in ${repository.owner}/${repository.name}`);
  const fork = (await mergeBase(host.git, directory, [baseSha, headSha])) ?? baseSha;
  const commits = await commitsBetween(host.git, directory, { base: baseSha, head: headSha });
  const totals = await readDiffTotals(host.git, directory, [fork, headSha]);
  return { headSha, baseRef, baseSha, commits: commits.length, ...totals };
}

/** Under refs/pull the head outlives its branch. */
export async function keepHead(
  host: Host,
  repository: Repository,
  { number, headSha }: { number: number; headSha: string },
): Promise<void> {
  await host.git.text(host.directory(repository), ['update-ref', '--', `refs/pull/${number}/head`, headSha]);
}
