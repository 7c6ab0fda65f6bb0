import semver from 'semver';
import { isBreakingChange, readCommitType } from './conventional-commit.ts';

type Bump = 'major' | 'minor' | 'patch';

/**
 * The form of a version. Semver rejects numbers above 2^53, which have 16 digits; one version that it rejects would fail
 * every comparison with it.
 */
export const versionPattern = /^v(0|[1-9]\d{0,14})\.(0|[1-9]\d{0,14})\.(0|[1-9]\d{0,14})$/;
/** The form in words, for the message of a rejected version. */
export const versionForm = 'must be of the form vX.Y.Z, without leading zeros and with at most 15 digits per number';

export const isVersion = (text: string): boolean => versionPattern.test(text);

/**
 * Returns the version after the newest of `taken`, by Conventional Commits: a breaking change increases major (minor
 * before v1), `feat` increases minor, and any other commit increases patch. The first version is v0.1.0. A version that
 * is too large to be increased is skipped.
 */
export function nextVersion(taken: string[], messages: string[]): string {
  const wanted = toBump(messages);
  const increase = (version: string): string =>
    `v${semver.inc(version, wanted === 'major' && semver.major(version) === 0 ? 'minor' : wanted)}`;
  return semver.rsort(taken.filter(isVersion)).map(increase).find(isVersion) ?? 'v0.1.0';
}

function toBump(messages: string[]): Bump {
  const bumps = messages.map((message): Bump => {
    if (isBreakingChange(message)) return 'major';
    return readCommitType(message) === 'feat' ? 'minor' : 'patch';
  });
  return bumps.includes('major') ? 'major' : bumps.includes('minor') ? 'minor' : 'patch';
}

/** Returns a negative number when `left` is the older version. A text that is not a version is older than any version. */
export function compareVersions(left: string, right: string): number {
  const [first, second] = [semver.parse(left), semver.parse(right)];
  return first && second ? first.compare(second) : Number(first !== null) - Number(second !== null);
}
