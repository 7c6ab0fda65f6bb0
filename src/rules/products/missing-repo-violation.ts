import type { Product } from './kinds.ts';

/** Returns why no work on a Product is possible yet: the service has not created its only repo. */
export function missingRepoViolation({ spec, status }: Product): string | undefined {
  const { source, repos } = spec;
  if (source === undefined || repos.some((repo) => repo !== source.repo)) return undefined;
  if (status?.scaffold?.commit !== undefined) return undefined;
  return status?.scaffold?.phase === 'Failed'
    ? `The repo ${source.repo} was not created. Retry its creation first.`
    : `The repo ${source.repo} is being created. Wait until it contains the first commit.`;
}
