import { readDiffTotals } from './git/diffs.ts';
import { listCommitsBetween, findMergeBase } from './git/revisions.ts';
import type { Host } from './host.ts';
import { findBranchSha } from './repositories.ts';
import type { Pull, Repository } from './tables.ts';

export type PullStats = Pick<
  Pull,
  'headSha' | 'baseRef' | 'baseSha' | 'commits' | 'additions' | 'deletions' | 'changedFiles'
>;

/** Computes the columns of a pull request that depend on git. */
export async function computePullStats(
  host: Host,
  repository: Repository,
  { headSha, baseRef }: { headSha: string; baseRef: string },
): Promise<PullStats> {
  const directory = host.directory(repository);
  const baseSha = findBranchSha(host, repository.id, baseRef);
  if (baseSha === undefined) throw new Error(`no branch ${baseRef} in ${repository.owner}/${repository.name}`);
  const fork = (await findMergeBase(host.git, directory, [baseSha, headSha])) ?? baseSha;
  const commits = await listCommitsBetween(host.git, directory, { base: baseSha, head: headSha });
  const totals = await readDiffTotals(host.git, directory, [fork, headSha]);
  return { headSha, baseRef, baseSha, commits: commits.length, ...totals };
}
