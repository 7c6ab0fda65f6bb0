import type { Answer } from 'dns-packet';
import { type Exchange, NoAnswer } from './exchange.ts';
import type { Reply } from './message.ts';
import { isWithin, parentOf, plain } from './names.ts';
import { TimedCache } from './timed-cache.ts';
import type { Server } from './udp-sockets.ts';

/** A part of the name tree that the same servers answer for. */
export type Zone = { apex: string; servers: Server[] };
type Delegation = { apex: string; names: string[]; glue: Server[] };

export type Zones = {
  /** The zone that holds a name, with its servers; undefined where nobody says. */
  of(name: string, options?: { anew?: boolean }): Promise<Zone | undefined>;
  /** The zone that a server refers to. */
  referredTo(reply: Reply, name: string, above: string): Promise<Zone | undefined>;
  /** For a zone none of whose servers could be heard: they may be others by now. */
  forget(name: string, zone: Zone): void;
};

type Deps = { exchange: Exchange; resolvers: readonly Server[]; port: number; known: readonly Zone[] };

/** Far shorter than owners keep their name servers, far longer than a round of questions. */
const keptMs = 30 * 60_000;
const keptEntries = 100_000;
const serversMax = 6;
/** Servers named in other zones, whose servers are named in others again. */
const depthMax = 3;

/** Finds zone cuts as they are rather than by guessing: by SOA, NS and the referrals of those above. */
export function createZones({ exchange, resolvers, port, known }: Deps): Zones {
  const kept = { ms: keptMs, entries: keptEntries };
  const cuts = new TimedCache<Zone | undefined>(kept);
  const zones = new TimedCache<Zone | undefined>(kept);
  const hosts = new TimedCache<string[]>(kept);
  // Only what begins a search is looked up there: what a search leads to could wait for itself.
  const once = async <T>(
    cache: TimedCache<T>,
    key: string,
    { depth, make }: { depth: number; make: () => Promise<T> },
  ) => (depth === 0 ? await cache.get(key, make) : await make());

  const anyOf = async (
    servers: readonly Server[],
    question: { name: string; type: 'SOA' | 'NS' | 'A' | 'AAAA'; recursive: boolean },
  ): Promise<Reply | undefined> => {
    for (const server of servers) {
      try {
        const reply = await exchange.ask(server, question);
        if (reply.rcode === 'NOERROR' || reply.rcode === 'NXDOMAIN') return reply;
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
      }
    }
    return undefined;
  };

  /** From the resolvers down to the zone that has the name: one question where they resolve, more where they only refer. */
  const descend = async (name: string, depth: number): Promise<Zone | undefined> => {
    let at: Zone = { apex: '', servers: [...resolvers] };
    for (let hop = 0; hop < 12; hop += 1) {
      const reply = await anyOf(at.servers, { name, type: 'SOA', recursive: hop === 0 });
      const apex = reply && apexIn(reply, name);
      if (apex !== undefined)
        return hop === 0 ? await once(zones, apex, { depth, make: async () => await withServers(apex, depth) }) : at;
      const below = reply && (await referredTo(reply, name, at.apex, depth));
      if (!below) return hop === 0 ? undefined : at;
      at = below;
    }
    return undefined;
  };

  const withServers = async (apex: string, depth: number): Promise<Zone | undefined> => {
    const reply = await anyOf(resolvers, { name: apex === '' ? '.' : apex, type: 'NS', recursive: true });
    const delegation = reply && delegationIn([...reply.answers, ...reply.authorities], apex, reply);
    return delegation && (await open(delegation, depth));
  };

  const referredTo = async (reply: Reply, name: string, above: string, depth: number): Promise<Zone | undefined> => {
    const owner = reply.authorities.find(({ type }) => type === 'NS')?.name;
    if (owner === undefined || owner === above || !isWithin(name, owner) || !isWithin(owner, above)) return undefined;
    const delegation = delegationIn(reply.authorities, owner, reply);
    return delegation && (await once(zones, owner, { depth, make: async () => await open(delegation, depth) }));
  };

  const open = async ({ apex, names, glue }: Delegation, depth: number): Promise<Zone> => {
    const found = await Promise.all(
      names.slice(0, serversMax).map(async (host) => {
        const glued = glue.filter((server) => server.host === host);
        if (glued.length > 0) return glued;
        const make = async () => await addressesOf(host, depth);
        const addresses = await once(hosts, host, { depth, make });
        return addresses.map((address) => ({ host, address, port }));
      }),
    );
    return { apex, servers: evenly(found).slice(0, serversMax) };
  };

  const addressesOf = async (host: string, depth: number): Promise<string[]> => {
    if (depth >= depthMax) return [];
    let servers: readonly Server[] = resolvers;
    const first = await anyOf(servers, { name: host, type: 'A', recursive: true });
    if (first && addressesIn(first).length === 0 && !first.authoritative)
      servers = (await descend(host, depth + 1))?.servers ?? resolvers;
    const replies = [
      servers === resolvers ? first : await anyOf(servers, { name: host, type: 'A', recursive: false }),
      await anyOf(servers, { name: host, type: 'AAAA', recursive: servers === resolvers }),
    ];
    return replies.flatMap((reply) => (reply ? addressesIn(reply) : []));
  };

  const find = async (name: string): Promise<Zone | undefined> => {
    for (let at: string | undefined = name; at !== undefined; at = parentOf(at)) {
      const zone = await descend(at, 0);
      if (zone && zone.servers.length > 0) return zone;
    }
    return undefined;
  };

  return {
    async of(name, { anew = false } = {}) {
      const ours = known.find(({ apex }) => isWithin(name, apex));
      if (ours) return ours;
      if (anew) {
        const before = await cuts.take(name);
        if (before) zones.forget(before.apex);
      }
      const zone = await cuts.get(name, async () => await find(name));
      if (!zone) cuts.forget(name);
      return zone;
    },
    referredTo: async (reply, name, above) => await referredTo(reply, name, above, 0),
    forget(name, zone) {
      cuts.forget(name);
      zones.forget(zone.apex);
    },
  };

  function delegationIn(records: Answer[], apex: string, { additionals }: Reply): Delegation | undefined {
    const names = records.flatMap((record) =>
      record.type === 'NS' && record.name === apex ? [plain(record.data)] : [],
    );
    const glue = additionals.flatMap((record) =>
      record.type === 'A' || record.type === 'AAAA' ? [{ host: record.name, address: record.data, port }] : [],
    );
    return names.length === 0 ? undefined : { apex, names: [...new Set(names)], glue };
  }
}

/** The owner of the SOA that comes with every answer of the zone, a positive one or not. */
function apexIn({ answers, authorities }: Reply, name: string): string | undefined {
  // Behind an alias the SOA is that of another zone.
  if (answers.some(({ type }) => type === 'CNAME' || type === 'DNAME')) return undefined;
  const soa = [...answers, ...authorities].find(({ type }) => type === 'SOA');
  return soa && isWithin(name, plain(soa.name)) ? plain(soa.name) : undefined;
}

const addressesIn = ({ answers }: Reply): string[] =>
  answers.flatMap((record) => (record.type === 'A' || record.type === 'AAAA' ? [record.data] : []));

/** One address of every name server before the second of any. */
function evenly(found: Server[][]): Server[] {
  const longest = Math.max(0, ...found.map(({ length }) => length));
  return Array.from({ length: longest }, (_, row) => found.flatMap((servers) => servers[row] ?? [])).flat();
}
