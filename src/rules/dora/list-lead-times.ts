import { findFirstHealthy, type Deployment } from './list-deployments.ts';
import type { ChangeRecord, DoraRecords, PromotionRecord, ReleaseRecord } from './records.ts';

export type LeadTime = {
  /** Absent for a Release that a person started and that carries no Change of its own. */
  change?: string;
  /** The Promotion by which it first became healthy in a release zone. */
  promotion: PromotionRecord;
  from: number;
  at: number;
  seconds: number;
};

/**
 * Returns a lead time for each Change that runs in a release zone. A Release contains all older ones of its repo, so
 * the first of its own and the newer versions that became healthy ends the time: a superseded or failed Release's
 * Changes count with the Release that carried them, and neither a rollback nor a re-release counts a Change again.
 */
export function listLeadTimes(
  { releases, changes }: Pick<DoraRecords, 'releases' | 'changes'>,
  deployments: readonly Deployment[],
): LeadTime[] {
  const firstHealthy = findFirstHealthy(deployments);
  return [...Map.groupBy(releases, ({ repo }) => repo)].flatMap(([repo, inRepo]) => {
    const carried = findCarried(
      inRepo,
      changes.filter((change) => (change.repo ?? repo) === repo),
    );
    const leadTimes: LeadTime[] = [];
    let carrier: Deployment | undefined;
    for (const release of sortNewestFirst(inRepo)) {
      const own = firstHealthy.get(release.name);
      carrier = earlier(carrier, own);
      // A person may choose a version below one that ran before this Release was started, which did not contain it.
      const isBefore = carrier !== undefined && carrier.at < (release.startedAt ?? -Infinity);
      const carriedBy = isBefore ? own : carrier;
      if (carriedBy) addLeadTimes(leadTimes, carriedBy, { release, changes: carried.get(release) });
    }
    return leadTimes;
  });
}

type Parsed = { release: ReleaseRecord; major: number; minor: number; patch: number };

/** Parses each version once, because a Product may have tens of thousands of Releases. */
function sortNewestFirst(releases: readonly ReleaseRecord[]): ReleaseRecord[] {
  const parsed = releases.map((release): Parsed => {
    const numbers = release.version.slice(1).split('.');
    return { release, major: Number(numbers[0]), minor: Number(numbers[1]), patch: Number(numbers[2]) };
  });
  return parsed
    .sort((one, other) => other.major - one.major || other.minor - one.minor || other.patch - one.patch)
    .map(({ release }) => release);
}

const earlier = (one: Deployment | undefined, other: Deployment | undefined): Deployment | undefined =>
  !one || (other && other.at < one.at) ? other : one;

/** Assigns each Change to the first Release that contains it. */
function findCarried(
  releases: readonly ReleaseRecord[],
  changes: readonly ChangeRecord[],
): Map<ReleaseRecord, ChangeRecord[]> {
  const byRun = new Map(releases.map((release) => [release.run, release]));
  const byCommit = new Map(releases.map((release) => [release.commit, release]));
  let byStart: ReleaseRecord[] | undefined;
  const findByTime = (time: number): ReleaseRecord | undefined => {
    byStart ??= releases.toSorted((one, other) => (one.startedAt ?? Infinity) - (other.startedAt ?? Infinity));
    return findFirstSince(byStart, time);
  };
  const carried = new Map<ReleaseRecord, ChangeRecord[]>();
  for (const change of changes) {
    const { name, mergeCommit = '', repo, mergedAt } = change;
    const release =
      byRun.get(name) ?? byCommit.get(mergeCommit) ?? (repo === undefined ? undefined : findByTime(mergedAt));
    const others = release && carried.get(release);
    if (others) others.push(change);
    else if (release) carried.set(release, [change]);
  }
  return carried;
}

function findFirstSince(byStart: readonly ReleaseRecord[], time: number): ReleaseRecord | undefined {
  let [low, high] = [0, byStart.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((byStart[middle]?.startedAt ?? Infinity) < time) low = middle + 1;
    else high = middle;
  }
  return byStart[low]?.startedAt === undefined ? undefined : byStart[low];
}

type Carried = { release: ReleaseRecord; changes: ChangeRecord[] | undefined };

/** A Release that a person started counts from its own start, unless it carries a Change. */
function addLeadTimes(leadTimes: LeadTime[], { promotion, at }: Deployment, { release, changes }: Carried): void {
  // The clocks of the code host and of the service may differ.
  const toSeconds = (from: number): number => Math.max(0, at - from) / 1_000;
  for (const { name: change, mergedAt: from } of changes ?? [])
    leadTimes.push({ change, promotion, from, at, seconds: toSeconds(from) });
  const { run, startedAt: from } = release;
  if (!changes && run === undefined && from !== undefined)
    leadTimes.push({ promotion, from, at, seconds: toSeconds(from) });
}
