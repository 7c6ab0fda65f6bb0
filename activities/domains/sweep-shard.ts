import { setTimeout as sleep } from 'node:timers/promises';
import { isServiceError } from '../../src/errors.ts';
import { isCreatedByService } from '../../src/rules/conditions.ts';
import { ConfigMapKind } from '../../src/kinds/kubernetes.ts';
import { type Domain, type DomainChecks, DomainKind, sweepShardLabel } from '../../src/rules/domains/kinds.ts';
import {
  bucketKey,
  dueBuckets,
  hasChanged,
  isDue,
  pendingBucket,
  sweepConfigMapName,
} from '../../src/rules/domains/sweep-buckets.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import { findActiveRestore } from '../../src/store/find-active-restore.ts';
import { getOrCreate } from '../get-or-create.ts';
import { isUnjudged } from './domain-status.ts';
import { type InspectDeps, inspectDomain } from './inspect-domain.ts';

export type DomainRef = { org: string; domain: string };
export type SweepDeps = InspectDeps & {
  now: () => Date;
  /** Signals the domain's workflow that its checks changed. */
  notifyDomainWorkflow: (ref: DomainRef) => Promise<void>;
};
export type SweepDomainsInput = { shard: number; intervalMs: number; rounds: number };

/** Keeps the sockets busy while some queries wait for slow servers; more inspections would only wait in a queue. */
const maxConcurrentInspections = 100;

/**
 * Checks the due domains of one shard, round after round. Round numbers derive from the clock, so a retry continues with
 * the current round and includes the buckets of missed rounds.
 */
export async function sweepShard(
  deps: SweepDeps,
  { shard, intervalMs, rounds }: SweepDomainsInput,
  signal: AbortSignal,
): Promise<void> {
  // The offset spreads the shards over the interval.
  const offsetMs = (shard * 6_113) % intervalMs;
  const getCurrentRound = (): number => Math.floor((deps.now().getTime() - offsetMs) / intervalMs);
  let last = await getLastRound(deps, shard);
  for (let done = 0; done < rounds; done += 1) {
    signal.throwIfAborted();
    const round = Math.max(getCurrentRound(), last + 1);
    // The next round after a restore includes the buckets of those that were left out.
    if (!(await findActiveRestore(deps.store))) {
      await sweepRound(deps, shard, { after: last, upTo: round });
      last = round;
    }
    const nextMs = (round + 1) * intervalMs + offsetMs - deps.now().getTime();
    await sleep(Math.max(0, nextMs), undefined, { signal });
  }
}

type RoundRange = { after: number; upTo: number };

/** Ignores a recorded time in the future: a clock that was set back must not delay the next round. */
async function getLastRound({ store, now }: SweepDeps, shard: number): Promise<number> {
  const times = (await store.find(ConfigMapKind, toSweepRef(shard)))?.data ?? {};
  const { round } = times;
  return round !== undefined && (times[pendingBucket] ?? '') <= now().toISOString() ? Number(round) : -1;
}

const toSweepRef = (shard: number) => ({ namespace: systemNamespace, name: sweepConfigMapName(shard) });

export async function sweepRound(deps: SweepDeps, shard: number, { after, upTo }: RoundRange): Promise<void> {
  const { items } = await deps.store.list(DomainKind, { labels: { [sweepShardLabel]: String(shard) } });
  const buckets = dueBuckets(after, upTo);
  const due = items.filter((domain) => isDue(domain, buckets));
  if (due.length === 0) return;
  const at = deps.now().toISOString();
  const queue = due.values();
  const work = async (): Promise<void> => {
    for (const domain of queue) await inspectAndRecord(deps, domain);
  };
  await Promise.all(Array.from({ length: Math.min(maxConcurrentInspections, due.length) }, work));
  const times = [pendingBucket, ...[...buckets].map(bucketKey)].map((key) => [key, at] as const);
  await saveSweepTimes(deps, shard, { round: String(upTo), ...Object.fromEntries(times) });
}

async function inspectAndRecord(deps: SweepDeps, domain: Domain): Promise<void> {
  const { namespace, name } = domain.metadata;
  const changed = await findChangedChecks(deps, domain);
  // The signal of an earlier change may have been lost. The workflow judges only domains that the service created.
  const needsSignal = changed
    ? await recordChecks(deps, domain, changed)
    : isCreatedByService(domain) && isUnjudged(domain, deps.now());
  if (needsSignal) await deps.notifyDomainWorkflow({ org: namespace.replace(/^org-/, ''), domain: name });
}

/** Returns undefined when the checks have the same results as the recorded ones. */
async function findChangedChecks(deps: SweepDeps, domain: Domain): Promise<DomainChecks | undefined> {
  const before = domain.status?.checks;
  let checks = await inspectDomain(deps, domain, {});
  // One server that lags behind must not fail a verified domain, so all servers are queried.
  const seemsLost = before?.ownership.verdict === 'verified' && checks.ownership.verdict !== 'verified';
  if (seemsLost) checks = await inspectDomain(deps, domain, { allServers: true });
  return hasChanged(before, checks) ? checks : undefined;
}

/** Returns false when the inspected domain no longer exists. */
export async function recordChecks(
  { store, now }: Pick<SweepDeps, 'store' | 'now'>,
  { metadata }: Pick<Domain, 'metadata'>,
  checks: DomainChecks,
): Promise<boolean> {
  try {
    await store.updateStatus(DomainKind, metadata, ({ status, metadata: { uid, creationTimestamp } }) =>
      uid === metadata.uid
        ? {
            state: 'WaitingForDns' as const,
            claimedAt: creationTimestamp,
            ...status,
            checks,
            lastCheckedAt: now().toISOString(),
          }
        : undefined,
    );
    return true;
  } catch (error) {
    if (!isServiceError(error, 'not-found')) throw error;
    return false;
  }
}

async function saveSweepTimes({ store }: SweepDeps, shard: number, times: Record<string, string>): Promise<void> {
  const existing = await getOrCreate(store, ConfigMapKind, { metadata: toSweepRef(shard), data: times });
  const data = { ...existing.data, ...times };
  await store.replace(ConfigMapKind, { ...existing, data }).catch((error: unknown) => {
    // Another attempt of the sweep has written a later time. A person may have deleted the times.
    if (!isServiceError(error, 'conflict') && !isServiceError(error, 'not-found')) throw error;
  });
}
