import type { Blobs } from '../../src/integrations/blobs/blobs.ts';
import { commitKey } from '../../src/rules/changes/commit-key.ts';
import type { RunCommitters } from '../../src/rules/changes/kinds.ts';
import { findPushers } from './find-pushers.ts';
import type { RunContext } from './run-context.ts';

type Range = Pick<RunContext, 'org' | 'host' | 'repo' | 'gitRef' | 'baseBranch'>;

/**
 * Finds the accounts behind the commits that a head adds to its base, except those that the service itself made. The
 * address in a commit proves nothing, so the accounts that pushed them count as well.
 */
export async function findCommitters(
  blobs: Blobs,
  { org, host, repo, gitRef, baseBranch }: Range,
  headSha: string,
): Promise<RunCommitters> {
  const base = baseBranch ?? (await host.getRepository(repo)).defaultBranch;
  const comparison = await host.compareCommits(repo, base, headSha);
  if (!comparison) return { headSha, logins: [], hasUnknown: true };
  const { commits, aheadBy } = comparison;
  const own = await Promise.all(commits.map(async ({ sha }) => await blobs.find(commitKey(org, sha))));
  const others = commits.filter((_, index) => own[index] === undefined);
  // The code host lists only the newest commits of a long range.
  const isTruncated = commits.length < aheadBy;
  if (others.length === 0) return { headSha, logins: [], hasUnknown: isTruncated };
  const pushers = await findPushers({ host, repo, gitRef, baseBranch: base }, headSha);
  const people = [pushers, ...others.map((commit) => commit.people)];
  return {
    headSha,
    logins: [...new Set(people.flatMap((logins) => logins ?? []))].toSorted(),
    hasUnknown: isTruncated || people.includes(undefined),
  };
}
