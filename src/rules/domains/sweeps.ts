import type { Domain, DomainStatus } from './kinds.ts';

/** How many domains one sweep asks for. */
export const domainsPerShard = 1_000;
/** Waiting ones in every round, the others in one round of so many. */
export const roundsPerTurn = 30;

/** The turn a domain has once it needs no looking after every minute: always the same, and even over all names. */
export function turnOf(name: string): number {
  let hash = 0;
  for (let index = 0; index < name.length; index += 1) hash = (hash * 31 + name.charCodeAt(index)) % 1_000_003;
  return hash % roundsPerTurn;
}

/** Whose turn it is after one round and up to another: everybody's, once as many were missed as there are turns. */
export function turnsOf(after: number, upTo: number): Set<number> {
  const first = Math.max(after + 1, upTo - roundsPerTurn + 1);
  return new Set(Array.from({ length: upTo - first + 1 }, (_, index) => (first + index) % roundsPerTurn));
}

/** A domain without a status was claimed a moment ago. */
export const isDue = ({ spec, status }: Pick<Domain, 'spec' | 'status'>, turns: ReadonlySet<number>): boolean =>
  status?.removal === undefined &&
  ((status?.state ?? 'WaitingForDns') === 'WaitingForDns' || turns.has(turnOf(spec.name)));

/** When each turn was last asked, and the domains that wait: two words for a thousand domains instead of a write for each. */
export type SweepTimes = Record<string, string>;
/** The object in the installation's namespace that holds them for one shard. */
export const sweepName = (shard: number): string => `dns-sweep-${shard}`;
export const waitingTurn = 'waiting';
export const turnKey = (turn: number): string => `turn-${turn}`;

/** When a domain was last looked at, by its own record or by the sweep that asks for it. */
export function lastChecked({ spec, status, metadata }: Domain, times: SweepTimes): string | undefined {
  const key = status?.state === 'WaitingForDns' ? waitingTurn : turnKey(turnOf(spec.name));
  const swept = times[key];
  const own = status?.lastCheckedAt;
  if (swept === undefined || swept < metadata.creationTimestamp) return own;
  return own === undefined || own < swept ? swept : own;
}

type Checks = NonNullable<DomainStatus['checks']>;

/** Whether a look says anything new; who said so and when is not news. */
export function isNews(before: Checks | undefined, after: Checks): boolean {
  const said = ({ ownership, traffic, certificates }: Checks): string =>
    JSON.stringify([
      [ownership.verdict, ownership.authoritative],
      ...[ownership, traffic, certificates].map(({ verdict, seen }) => [verdict, seen.toSorted()]),
    ]);
  if (before === undefined) return true;
  return said(before) !== said(after);
}
