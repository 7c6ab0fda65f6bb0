import type { Answer } from 'dns-packet';
import { type InsideDestination, isReachable } from '../../rules/network/allowed-inside.ts';
import { type DnsClient, NoResponseError } from './dns-client.ts';
import type { Reply } from './message.ts';
import { isWithin, parentName, normalizeName } from './names.ts';
import { TtlCache } from './ttl-cache.ts';
import type { Server } from './udp-sockets.ts';

/** A part of the name tree with its authoritative servers. */
export type DnsZone = { apex: string; servers: Server[] };
type Delegation = { apex: string; names: string[]; glue: Server[] };

export type DnsZones = {
  /** Finds the DNS zone of a name. Returns undefined when no server answers before the signal aborts. */
  find(name: string, options?: { refresh?: boolean; signal?: AbortSignal }): Promise<DnsZone | undefined>;
  /** Returns the DNS zone that a referral points to. */
  followReferral(reply: Reply, name: string, above: string): Promise<DnsZone | undefined>;
  /** Drops a cached DNS zone whose servers do not answer, because its servers may have changed. */
  invalidate(name: string, zone: DnsZone): void;
};

type Deps = {
  client: DnsClient;
  resolvers: readonly Server[];
  port: number;
  known: readonly DnsZone[];
  allowedInside: readonly InsideDestination[];
};

/** Much shorter than the lifetime of name servers, and much longer than one lookup. */
const cacheTtlMs = 30 * 60_000;
const cacheEntriesMax = 100_000;
const serversMax = 6;
/** Limits chains of name servers that are named in other DNS zones. */
const depthMax = 3;

/** Finds zone cuts with SOA and NS queries and referrals. */
export function createDnsZones({ client, resolvers, port, known, allowedInside }: Deps): DnsZones {
  // The records of a tenant could name a server inside, which the tenant cannot reach.
  const isOpen = ({ host = '', address }: Server): boolean => isReachable(allowedInside, { host, port, address });
  const limits = { ms: cacheTtlMs, entries: cacheEntriesMax };
  const cuts = new TtlCache<DnsZone | undefined>(limits);
  const zones = new TtlCache<DnsZone | undefined>(limits);
  const hosts = new TtlCache<string[]>(limits);
  // Only the outermost search uses the caches, because a nested search could wait for itself.
  const cached = async <T>(
    cache: TtlCache<T>,
    key: string,
    { depth, make }: { depth: number; make: () => Promise<T> },
  ) => (depth === 0 ? await cache.get(key, make) : await make());

  const queryFirst = async (
    servers: readonly Server[],
    question: { name: string; type: 'SOA' | 'NS' | 'A' | 'AAAA'; recursionDesired: boolean },
  ): Promise<Reply | undefined> => {
    for (const server of servers) {
      try {
        const reply = await client.query(server, question);
        if (reply.rcode === 'NOERROR' || reply.rcode === 'NXDOMAIN') return reply;
      } catch (error) {
        if (!(error instanceof NoResponseError)) throw error;
      }
    }
    return undefined;
  };

  /** Descends from the resolvers to the DNS zone of the name. A recursive resolver needs only one query. */
  const descend = async (name: string, depth: number): Promise<DnsZone | undefined> => {
    let at: DnsZone = { apex: '', servers: [...resolvers] };
    for (let hop = 0; hop < 12; hop += 1) {
      const reply = await queryFirst(at.servers, { name, type: 'SOA', recursionDesired: hop === 0 });
      const apex = reply && findApex(reply, name);
      if (apex !== undefined)
        return hop === 0 ? await cached(zones, apex, { depth, make: async () => await resolveZone(apex, depth) }) : at;
      const below = reply && (await followReferral(reply, name, at.apex, depth));
      if (!below) return hop === 0 ? undefined : at;
      at = below;
    }
    return undefined;
  };

  const resolveZone = async (apex: string, depth: number): Promise<DnsZone | undefined> => {
    const reply = await queryFirst(resolvers, { name: apex === '' ? '.' : apex, type: 'NS', recursionDesired: true });
    const delegation = reply && readDelegation([...reply.answers, ...reply.authorities], apex, reply);
    return delegation && (await resolveServers(delegation, depth));
  };

  const followReferral = async (
    reply: Reply,
    name: string,
    above: string,
    depth: number,
  ): Promise<DnsZone | undefined> => {
    const owner = reply.authorities.find(({ type }) => type === 'NS')?.name;
    if (owner === undefined || owner === above || !isWithin(name, owner) || !isWithin(owner, above)) return undefined;
    const delegation = readDelegation(reply.authorities, owner, reply);
    return (
      delegation && (await cached(zones, owner, { depth, make: async () => await resolveServers(delegation, depth) }))
    );
  };

  const resolveServers = async ({ apex, names, glue }: Delegation, depth: number): Promise<DnsZone> => {
    const addresses = await Promise.all(
      names.slice(0, serversMax).map(async (host) => {
        const glued = glue.filter((server) => server.host === host);
        if (glued.length > 0) return glued.filter(isOpen);
        const make = async () => await resolveAddresses(host, depth);
        const hostAddresses = await cached(hosts, host, { depth, make });
        return hostAddresses.map((address) => ({ host, address, port })).filter(isOpen);
      }),
    );
    return { apex, servers: interleave(addresses).slice(0, serversMax) };
  };

  const resolveAddresses = async (host: string, depth: number): Promise<string[]> => {
    if (depth >= depthMax) return [];
    let servers: readonly Server[] = resolvers;
    const first = await queryFirst(servers, { name: host, type: 'A', recursionDesired: true });
    if (first && toAddresses(first).length === 0 && !first.authoritative)
      servers = (await descend(host, depth + 1))?.servers ?? resolvers;
    const replies = [
      servers === resolvers ? first : await queryFirst(servers, { name: host, type: 'A', recursionDesired: false }),
      await queryFirst(servers, { name: host, type: 'AAAA', recursionDesired: servers === resolvers }),
    ];
    return replies.flatMap((reply) => (reply ? toAddresses(reply) : []));
  };

  const find = async (name: string, signal?: AbortSignal): Promise<DnsZone | undefined> => {
    for (let at: string | undefined = name; at !== undefined && !signal?.aborted; at = parentName(at)) {
      const zone = await descend(at, 0);
      if (zone && zone.servers.length > 0) return zone;
    }
    return undefined;
  };

  return {
    async find(name, { refresh = false, signal } = {}) {
      const configured = known.find(({ apex }) => isWithin(name, apex));
      if (configured) return configured;
      if (refresh) {
        const before = await cuts.take(name);
        if (before) zones.delete(before.apex);
      }
      const zone = await cuts.get(name, async () => await find(name, signal));
      if (!zone) cuts.delete(name);
      return zone;
    },
    followReferral: async (reply, name, above) => await followReferral(reply, name, above, 0),
    invalidate(name, zone) {
      cuts.delete(name);
      zones.delete(zone.apex);
    },
  };

  function readDelegation(records: Answer[], apex: string, { additionals }: Reply): Delegation | undefined {
    const names = records.flatMap((record) =>
      record.type === 'NS' && record.name === apex ? [normalizeName(record.data)] : [],
    );
    const glue = additionals.flatMap((record) =>
      record.type === 'A' || record.type === 'AAAA' ? [{ host: record.name, address: record.data, port }] : [],
    );
    return names.length === 0 ? undefined : { apex, names: [...new Set(names)], glue };
  }
}

/** Returns the owner of the SOA record, which is part of every positive and negative answer. */
function findApex({ answers, authorities }: Reply, name: string): string | undefined {
  // For an alias, the SOA may belong to another DNS zone.
  if (answers.some(({ type }) => type === 'CNAME' || type === 'DNAME')) return undefined;
  const soa = [...answers, ...authorities].find(({ type }) => type === 'SOA');
  return soa && isWithin(name, normalizeName(soa.name)) ? normalizeName(soa.name) : undefined;
}

const toAddresses = ({ answers }: Reply): string[] =>
  answers.flatMap((record) => (record.type === 'A' || record.type === 'AAAA' ? [record.data] : []));

/** Returns the first address of every name server before the second address of any. */
function interleave(groups: Server[][]): Server[] {
  const longest = Math.max(0, ...groups.map(({ length }) => length));
  return Array.from({ length: longest }, (_, row) => groups.flatMap((servers) => servers[row] ?? [])).flat();
}
