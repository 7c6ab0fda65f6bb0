import type { Blobs } from '../../src/integrations/blobs/blobs.ts';
import { commitKey } from '../../src/rules/changes/commit-key.ts';
import type { RunCommitters } from '../../src/rules/changes/kinds.ts';
import type { RunContext } from './run-context.ts';

type Range = Pick<RunContext, 'org' | 'host' | 'repo' | 'baseBranch'>;

/** Finds the accounts behind the commits that a head adds to its base, except those that the service itself made. */
export async function findCommitters(
  blobs: Blobs,
  { org, host, repo, baseBranch }: Range,
  headSha: string,
): Promise<RunCommitters> {
  const base = baseBranch ?? (await host.getRepository(repo)).defaultBranch;
  const comparison = await host.compareCommits(repo, base, headSha);
  if (!comparison) return { headSha, logins: [], hasUnknown: true };
  const { commits, aheadBy } = comparison;
  const own = await Promise.all(commits.map(async ({ sha }) => await blobs.find(commitKey(org, sha))));
  const others = commits.filter((_, index) => own[index] === undefined);
  return {
    headSha,
    logins: [...new Set(others.flatMap(({ people }) => people ?? []))].toSorted(),
    // The code host lists only the newest commits of a long range.
    hasUnknown: commits.length < aheadBy || others.some(({ people }) => people === undefined),
  };
}
