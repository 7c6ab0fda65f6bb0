import type { Answer, RecordType } from 'dns-packet';
import { isIPv6 } from 'node:net';
import type { CaaRecord, Observation } from '../../rules/domains/observation.ts';
import { canonicalAddress } from '../../rules/network/canonical-address.ts';
import type { Dns, DnsOptions, LookupOptions } from './dns.ts';
import { createDnsClient } from './dns-client.ts';
import { createLookup, type LookupResult } from './lookup.ts';
import { parentName, normalizeName } from './names.ts';
import { TtlCache } from './ttl-cache.ts';
import type { Server } from './udp-sockets.ts';
import { createDnsZones } from './dns-zones.ts';

const aliasesMax = 8;
/** Many domains share their parent names, so these are cached. */
const parentCacheLimits = { ms: 60_000, entries: 10_000 };

/** Ends a lookup whose queries take too long in total: `signal` stops further queries, and `expired` is the result. */
type Deadline = { signal: AbortSignal; expired: Promise<LookupResult> };
type AliasResult = LookupResult & { aliases: string[] };

export function createDns(options: DnsOptions): Dns {
  const { port = 53, timeoutMs = 1_500, lookupTimeoutMs = 15_000, allowedInside, now } = options;
  const client = createDnsClient({ timeoutMs });
  const resolvers = options.resolvers.map(parseServer);
  const known = (options.zoneServers ?? []).map(({ dnsZone, server }) => ({
    apex: normalizeName(dnsZone),
    servers: [parseServer(server)],
  }));
  const dnsZones = createDnsZones({ client, resolvers, port, known, allowedInside });
  const lookup = createLookup({ client, dnsZones, resolvers, allowedInside, now });
  const parents = new TtlCache<AliasResult>(parentCacheLimits);

  const toExpired = (): LookupResult => ({
    outcome: 'unknown',
    records: [],
    authoritative: false,
    server: 'the DNS servers',
    response: `the DNS servers took longer than ${lookupTimeoutMs / 1_000} s in total`,
    at: now().toISOString(),
  });

  const withDeadline = async <T>(work: (deadline: Deadline) => Promise<T>): Promise<T> => {
    const abort = new AbortController();
    const expired = Promise.withResolvers<LookupResult>();
    const timer = setTimeout(() => {
      abort.abort();
      expired.resolve(toExpired());
    }, lookupTimeoutMs);
    try {
      return await work({ signal: abort.signal, expired: expired.promise });
    } finally {
      clearTimeout(timer);
    }
  };

  /** Follows aliases; each name is looked up at the servers of its own DNS zone. */
  const followAliases = async (
    { name, type }: { name: string; type: RecordType },
    options: LookupOptions & { stopAtAlias?: string },
    { signal, expired }: Deadline,
  ): Promise<AliasResult> => {
    const aliases: string[] = [];
    for (let at = normalizeName(name); ;) {
      const result = await Promise.race([lookup({ name: at, type }, { ...options, signal }), expired]);
      const { alias } = result;
      if (alias === undefined) return { ...result, aliases };
      if (aliases.includes(alias) || aliases.length === aliasesMax)
        return { ...result, outcome: 'unknown' as const, response: 'has a loop or too many aliases', aliases };
      aliases.push(alias);
      if (alias === options.stopAtAlias) return { ...result, aliases };
      at = alias;
    }
  };

  return {
    lookupTxt: async (name, options = {}) =>
      await withDeadline(async ({ signal, expired }) => {
        const answer = lookup({ name: normalizeName(name), type: 'TXT' }, { ...options, signal });
        return toObservation(await Promise.race([answer, expired]), toTexts);
      }),

    lookupAddresses: async (name, options = {}) =>
      await withDeadline(async (deadline) => {
        const ipv4 = await followAliases({ name, type: 'A' }, options, deadline);
        if (ipv4.aliases.at(-1) === options.stopAtAlias && options.stopAtAlias !== undefined)
          return toObservation(ipv4, toAddresses);
        if (ipv4.outcome === 'unknown' || ipv4.response === 'says NXDOMAIN') return toObservation(ipv4, toAddresses);
        const ipv6 = await followAliases({ name: ipv4.aliases.at(-1) ?? name, type: 'AAAA' }, options, deadline);
        if (ipv6.outcome === 'absent') return toObservation(ipv4, toAddresses);
        if (ipv6.outcome === 'unknown' && ipv4.outcome === 'found') return toObservation(ipv4, toAddresses);
        return {
          ...toObservation(ipv6, toAddresses),
          records: [...ipv4.records, ...ipv6.records].flatMap(toAddresses),
          aliases: ipv4.aliases,
        };
      }),

    lookupCaa: async (name, options = {}) =>
      await withDeadline(async (deadline) => {
        for (let at: string | undefined = normalizeName(name); ;) {
          const current: string = at;
          const query = async (until: Deadline) => await followAliases({ name: current, type: 'CAA' }, options, until);
          // Other lookups share the query of a parent, so it has a deadline of its own.
          const result: LookupResult & { aliases?: string[] } =
            current === normalizeName(name)
              ? await query(deadline)
              : await Promise.race([parents.get(current, async () => await withDeadline(query)), deadline.expired]);
          if (result.outcome === 'unknown') parents.delete(current);
          at = parentName(current);
          if (result.outcome !== 'absent' || at === undefined) return toObservation(result, toCaaRecords);
        }
      }),

    close: async () => client.close(),
  };
}

function toObservation<T>(
  { alias, records, ...result }: LookupResult & { aliases?: string[] },
  read: (record: Answer) => T[],
): Observation<T> {
  return { aliases: alias === undefined ? [] : [alias], ...result, records: records.flatMap(read) };
}

/** A TXT record consists of chunks of at most 255 bytes. */
const toTexts = (record: Answer): string[] =>
  record.type === 'TXT' ? [Buffer.concat([record.data].flat().map((chunk) => Buffer.from(chunk))).toString()] : [];

const toAddresses = (record: Answer): string[] => (record.type === 'A' || record.type === 'AAAA' ? [record.data] : []);

const toCaaRecords = (record: Answer): CaaRecord[] =>
  record.type === 'CAA'
    ? [
        {
          critical: ((record.data.flags ?? 0) & 128) !== 0,
          tag: record.data.tag.toLowerCase(),
          value: record.data.value,
        },
      ]
    : [];

/** Parses `192.0.2.1`, `192.0.2.1:5353`, `2001:db8::1` or `[2001:db8::1]:5353`. */
function parseServer(text: string): Server {
  if (isIPv6(text)) return { address: canonicalAddress(text), port: 53 };
  const { address = text, port = '53' } = /^\[?(?<address>[^\]]*?)\]?(?::(?<port>\d+))?$/.exec(text)?.groups ?? {};
  return { address: canonicalAddress(address), port: Number(port) };
}
