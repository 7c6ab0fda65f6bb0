import type { Release } from './kinds.ts';
import { compareVersions } from './next-version.ts';

/** Returns the newest built Release of the same Product and repo that is older than the Release. */
export function findPreviousRelease(release: Release, releases: readonly Release[]): Release | undefined {
  const { product, repo } = release.spec;
  return releases
    .filter(({ spec, status }) => spec.product === product && spec.repo === repo && status?.digest !== undefined)
    .filter((one) => compareAge(one, release) < 0)
    .toSorted(compareAge)
    .at(-1);
}

/** Times of creation have whole seconds in some stores: of two Releases of one second, the version decides. */
function compareAge(one: Release, other: Release): number {
  const [first, second] = [one.metadata.creationTimestamp, other.metadata.creationTimestamp].map(Date.parse);
  return (first ?? 0) - (second ?? 0) || compareVersions(one.spec.version, other.spec.version);
}
