import type { Answer, RecordType } from 'dns-packet';
import { isIPv6 } from 'node:net';
import type { CaaRecord, Dns, DnsOptions, Looking, Seen } from './dns.ts';
import { createExchange } from './exchange.ts';
import { createLook, type Look } from './look.ts';
import { parentOf, plain } from './names.ts';
import { TimedCache } from './timed-cache.ts';
import type { Server } from './udp-sockets.ts';
import { createZones } from './zones.ts';

const aliasesMax = 8;
/** The names above a domain are those above a thousand others: asked once for all of them. */
const parentsKept = { ms: 60_000, entries: 10_000 };

export function createDns({ port = 53, timeoutMs = 1_500, now, ...given }: DnsOptions): Dns {
  const exchange = createExchange({ timeoutMs });
  const resolvers = given.resolvers.map(readServer);
  const known = (given.zoneServers ?? []).map(({ zone, server }) => ({
    apex: plain(zone),
    servers: [readServer(server)],
  }));
  const zones = createZones({ exchange, resolvers, port, known });
  const look = createLook({ exchange, zones, resolvers, now });
  const above = new TimedCache<Look & { aliases: string[] }>(parentsKept);

  /** Follows aliases, each at the servers of its own zone. */
  const follow = async (name: string, type: RecordType, looking: Looking & { until?: string }) => {
    const aliases: string[] = [];
    for (let at = plain(name); ;) {
      const last = await look({ name: at, type }, looking);
      const { alias } = last;
      if (alias === undefined) return { ...last, aliases };
      if (aliases.includes(alias) || aliases.length === aliasesMax)
        return { ...last, outcome: 'unknown' as const, said: 'leads from alias to alias without end', aliases };
      aliases.push(alias);
      if (alias === looking.until) return { ...last, aliases };
      at = alias;
    }
  };

  return {
    async texts(name, looking = {}) {
      const seen = await look({ name: plain(name), type: 'TXT' }, looking);
      return shown(seen, textOf);
    },

    async addresses(name, looking = {}) {
      const four = await follow(name, 'A', looking);
      if (four.aliases.at(-1) === looking.until && looking.until !== undefined) return shown(four, addressOf);
      if (four.outcome === 'unknown' || four.said === 'says NXDOMAIN') return shown(four, addressOf);
      const six = await follow(four.aliases.at(-1) ?? name, 'AAAA', looking);
      if (six.outcome === 'absent') return shown(four, addressOf);
      if (six.outcome === 'unknown' && four.outcome === 'found') return shown(four, addressOf);
      return {
        ...shown(six, addressOf),
        records: [...four.records, ...six.records].flatMap(addressOf),
        aliases: four.aliases,
      };
    },

    async certificateAuthorities(name, looking = {}) {
      for (let at: string | undefined = plain(name); ;) {
        const here: string = at;
        const ask = async () => await follow(here, 'CAA', looking);
        const seen = here === plain(name) ? await ask() : await above.get(here, ask);
        if (seen.outcome === 'unknown') above.forget(here);
        at = parentOf(here);
        if (seen.outcome !== 'absent' || at === undefined) return shown(seen, caaOf);
      }
    },

    close: async () => exchange.close(),
  };
}

function shown<T>(
  { alias: _, records, ...seen }: Look & { aliases?: string[] },
  read: (record: Answer) => T[],
): Seen<T> {
  return { aliases: _ === undefined ? [] : [_], ...seen, records: records.flatMap(read) };
}

/** A text comes in chunks of 255 bytes at most. */
const textOf = (record: Answer): string[] =>
  record.type === 'TXT' ? [Buffer.concat([record.data].flat().map((chunk) => Buffer.from(chunk))).toString()] : [];

const addressOf = (record: Answer): string[] => (record.type === 'A' || record.type === 'AAAA' ? [record.data] : []);

const caaOf = (record: Answer): CaaRecord[] =>
  record.type === 'CAA'
    ? [
        {
          critical: ((record.data.flags ?? 0) & 128) !== 0,
          tag: record.data.tag.toLowerCase(),
          value: record.data.value,
        },
      ]
    : [];

/** `192.0.2.1`, `192.0.2.1:5353`, `2001:db8::1` or `[2001:db8::1]:5353`. */
function readServer(given: string): Server {
  if (isIPv6(given)) return { address: given, port: 53 };
  const { address = given, port = '53' } = /^\[?(?<address>[^\]]*?)\]?(?::(?<port>\d+))?$/.exec(given)?.groups ?? {};
  return { address, port: Number(port) };
}
