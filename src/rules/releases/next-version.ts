import semver from 'semver';

type Bump = 'major' | 'minor' | 'patch';

/**
 * Returns the version after the newest of `taken`, by Conventional Commits: a breaking change increases major (minor
 * before v1), `feat` increases minor, and any other commit increases patch. The first version is v0.1.0.
 */
export function nextVersion(taken: string[], messages: string[]): string {
  const newest = semver.rsort(taken.filter((version) => semver.valid(version) !== null))[0];
  if (newest === undefined) return 'v0.1.0';
  const wanted = toBump(messages);
  const bump = wanted === 'major' && semver.major(newest) === 0 ? 'minor' : wanted;
  return `v${semver.inc(newest, bump)}`;
}

function toBump(messages: string[]): Bump {
  const bumps = messages.map((message): Bump => {
    const [, type, breaking] = /^(\w+)(?:\([^)]*\))?(!)?: /.exec(message) ?? [];
    if (breaking || /^BREAKING[ -]CHANGE: /m.test(message)) return 'major';
    return type === 'feat' ? 'minor' : 'patch';
  });
  return bumps.includes('major') ? 'major' : bumps.includes('minor') ? 'minor' : 'patch';
}

/** Returns a negative number when `left` is the older version. */
export const compareVersions = (left: string, right: string): number => semver.compare(left, right);
