import type { Domain, DomainStatus } from './kinds.ts';

/** The number of domains that one sweep checks. */
export const domainsPerShard = 1_000;
/** A sweep checks waiting domains in every round, and all others in one of this many rounds. */
export const bucketCount = 30;

/** Returns the bucket of a domain that is not waiting. It depends only on the name, and spreads names evenly. */
export function bucketFor(name: string): number {
  let hash = 0;
  for (let index = 0; index < name.length; index += 1) hash = (hash * 31 + name.charCodeAt(index)) % 1_000_003;
  return hash % bucketCount;
}

/** Returns the buckets of the rounds after `after` up to `upTo`; every bucket is due when enough rounds were missed. */
export function dueBuckets(after: number, upTo: number): Set<number> {
  const first = Math.max(after + 1, upTo - bucketCount + 1);
  return new Set(Array.from({ length: upTo - first + 1 }, (_, index) => (first + index) % bucketCount));
}

/** A domain without a status was just claimed and counts as waiting. */
export const isDue = ({ spec, status }: Pick<Domain, 'spec' | 'status'>, buckets: ReadonlySet<number>): boolean =>
  status?.removalMessage === undefined &&
  ((status?.state ?? 'WaitingForDns') === 'WaitingForDns' || buckets.has(bucketFor(spec.name)));

/** The last check of each bucket. Two entries per round replace one status write per domain. */
export type SweepTimes = Record<string, string>;
/** Names the ConfigMap in the installation's namespace that holds the times of one shard. */
export const sweepConfigMapName = (shard: number): string => `dns-sweep-${shard}`;
export const pendingBucket = 'pending';
export const bucketKey = (bucket: number): string => `bucket-${bucket}`;

/** Returns when a domain was last checked, by its own status or by the sweep of its bucket. */
export function findLastCheckedAt({ spec, status, metadata }: Domain, times: SweepTimes): string | undefined {
  const key = status?.state === 'WaitingForDns' ? pendingBucket : bucketKey(bucketFor(spec.name));
  const swept = times[key];
  const own = status?.lastCheckedAt;
  if (swept === undefined || swept < metadata.creationTimestamp) return own;
  return own === undefined || own < swept ? swept : own;
}

type Checks = NonNullable<DomainStatus['checks']>;

/** Compares the results of two checks; another server or another time is not a change. */
export function hasChanged(before: Checks | undefined, after: Checks): boolean {
  const toComparable = ({ ownership, traffic, certificates }: Checks): string =>
    JSON.stringify([
      [ownership.verdict, ownership.authoritative],
      ...[ownership, traffic, certificates].map(({ verdict, observed }) => [verdict, observed.toSorted()]),
    ]);
  if (before === undefined) return true;
  return toComparable(before) !== toComparable(after);
}
