import { setTimeout as sleep } from 'node:timers/promises';
import { isServiceError } from '../../src/errors.ts';
import { ConfigMapKind } from '../../src/rules/core-kinds.ts';
import { type Domain, type DomainChecks, DomainKind, shardLabel } from '../../src/rules/domains/kinds.ts';
import { isDue, isNews, sweepName, turnKey, turnsOf, waitingTurn } from '../../src/rules/domains/sweeps.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import { createOrGet } from '../create-or-get.ts';
import { type InspectDeps, inspect } from './inspect.ts';

export type DomainRef = { org: string; domain: string };
export type SweepDeps = InspectDeps & {
  now: () => Date;
  /** Tells a domain's loop that there is news of it. */
  tellObserved: (ref: DomainRef) => Promise<void>;
};
export type Sweep = { shard: number; paceMs: number; rounds: number };

/** Enough to keep the sockets busy while some wait for servers that do not answer; more would only queue up here. */
const atOnce = 100;

/**
 * Puts all due questions of one shard, round after round. Rounds are numbered by the clock, so whoever takes over goes on
 * with the number that is next, and whose turn was missed meanwhile is asked first.
 */
export async function sweep(deps: SweepDeps, { shard, paceMs, rounds }: Sweep, signal: AbortSignal): Promise<void> {
  // Not all shards at the same moment of each minute.
  const offsetMs = (shard * 6_113) % paceMs;
  const roundNow = (): number => Math.floor((deps.now().getTime() - offsetMs) / paceMs);
  let last = await lastRound(deps, shard);
  for (let done = 0; done < rounds; done += 1) {
    signal.throwIfAborted();
    const round = Math.max(roundNow(), last + 1);
    await sweepOnce(deps, shard, { after: last, upTo: round });
    last = round;
    const nextMs = (round + 1) * paceMs + offsetMs - deps.now().getTime();
    await sleep(Math.max(0, nextMs), undefined, { signal });
  }
}

type Rounds = { after: number; upTo: number };

/** A clock that was set back must not hold up what is due. */
async function lastRound({ store, now }: SweepDeps, shard: number): Promise<number> {
  const kept = await store.find(ConfigMapKind, refOf(shard));
  const { round, waiting = '' } = kept?.data ?? {};
  return round !== undefined && waiting <= now().toISOString() ? Number(round) : -1;
}

const refOf = (shard: number) => ({ namespace: systemNamespace, name: sweepName(shard) });

export async function sweepOnce(deps: SweepDeps, shard: number, { after, upTo }: Rounds): Promise<void> {
  const { items } = await deps.store.list(DomainKind, { labels: { [shardLabel]: String(shard) } });
  const turns = turnsOf(after, upTo);
  const due = items.filter((domain) => isDue(domain, turns));
  if (due.length === 0) return;
  const at = deps.now().toISOString();
  const queue = due.values();
  const work = async (): Promise<void> => {
    for (const domain of queue) await look(deps, domain);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, due.length) }, work));
  const asked = [waitingTurn, ...[...turns].map(turnKey)].map((key) => [key, at] as const);
  await noteTimes(deps, shard, { round: String(upTo), ...Object.fromEntries(asked) });
}

async function look(deps: SweepDeps, domain: Domain): Promise<void> {
  const before = domain.status?.checks;
  let checks = await inspect(deps, domain, {});
  if (!isNews(before, checks)) return;
  // One server that lags behind must not take a proven domain down: all of them are asked.
  const seemsLost = before?.ownership.verdict === 'proven' && checks.ownership.verdict !== 'proven';
  if (seemsLost) checks = await inspect(deps, domain, { thorough: true });
  if (seemsLost && !isNews(before, checks)) return;
  if (await writeChecks(deps, domain, checks))
    await deps.tellObserved({ org: domain.metadata.namespace.replace(/^org-/, ''), domain: domain.metadata.name });
}

/** Whether the domain that was looked at is still there. */
export async function writeChecks(
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

async function noteTimes({ store }: SweepDeps, shard: number, times: Record<string, string>): Promise<void> {
  const kept = await createOrGet(store, ConfigMapKind, { metadata: refOf(shard), data: times });
  await store.replace(ConfigMapKind, { ...kept, data: { ...kept.data, ...times } }).catch((error: unknown) => {
    // Somebody who took over has written a later time.
    if (!isServiceError(error, 'conflict')) throw error;
  });
}
