import type { Answer, RecordType } from 'dns-packet';
import { displayAddress } from '../../rules/network/display-address.ts';
import type { DnsOptions, LookupOptions } from './dns.ts';
import { type DnsClient, NoResponseError } from './dns-client.ts';
import type { Reply } from './message.ts';
import { normalizeName } from './names.ts';
import type { Server } from './udp-sockets.ts';
import type { DnsZone, DnsZones } from './dns-zones.ts';

/** The response of one server, or the best of several. */
export type LookupResult = {
  outcome: 'found' | 'absent' | 'unknown';
  records: Answer[];
  authoritative: boolean;
  server: string;
  response: string;
  at: string;
  alias?: string;
};
type RecordQuery = { name: string; type: RecordType };
/** The signal stops a lookup whose result is no longer needed. */
type QueryOptions = LookupOptions & { signal: AbortSignal };
type Deps = { client: DnsClient; dnsZones: DnsZones; resolvers: readonly Server[] } & Pick<
  DnsOptions,
  'allowedInside' | 'now'
>;

const referralsMax = 4;

/** Queries the servers of the name's DNS zone, and the resolvers when none of them responds. */
export function createLookup(deps: Deps) {
  const { client, dnsZones, resolvers, allowedInside, now } = deps;
  const describeServer = ({ host, address }: Server): string => {
    const shown = displayAddress(allowedInside, address);
    return host === undefined ? shown : `${host} (${shown})`;
  };
  const toResolverName = ({ address }: Server): string => {
    const shown = displayAddress(allowedInside, address);
    return shown === address ? `the resolver ${address}` : 'the resolver';
  };
  const queryServer = async (
    server: Server,
    { name, type }: RecordQuery,
    { signal, zone }: { signal: AbortSignal; zone?: DnsZone },
  ): Promise<LookupResult & { below?: DnsZone }> => {
    signal.throwIfAborted();
    const base = {
      records: [],
      server: describeServer(server),
      at: now().toISOString(),
      authoritative: zone !== undefined,
    };
    try {
      const reply = await client.query(server, { name, type, recursionDesired: zone === undefined });
      const below = zone && !reply.authoritative ? await dnsZones.followReferral(reply, name, zone.apex) : undefined;
      return { ...base, ...interpretReply(reply, { name, type }, zone === undefined), ...(below && { below }) };
    } catch (error) {
      if (!(error instanceof NoResponseError)) throw error;
      return { ...base, outcome: 'unknown', response: error.message };
    }
  };

  /** The first positive answer counts. With `allServers`, a negative one needs the answers of all servers. */
  const queryZone = async (
    zone: DnsZone,
    query: RecordQuery,
    { allServers = false, signal }: QueryOptions,
  ): Promise<LookupResult & { below?: DnsZone }> => {
    const results: (LookupResult & { below?: DnsZone })[] = [];
    // A single server is queried twice, because one lost packet must not count as an outage.
    const servers = zone.servers.length === 1 ? [...zone.servers, ...zone.servers] : rotate(zone.servers);
    for (const server of servers) {
      const result = await queryServer(server, query, { signal, zone });
      if (result.outcome === 'found' || result.below) return result;
      results.push(result);
      if (result.outcome === 'absent' && !allServers) break;
    }
    return results.find(({ outcome }) => outcome === 'absent') ?? toUnknown(results, zone);
  };

  const toUnknown = (results: LookupResult[], zone: DnsZone): LookupResult => ({
    outcome: 'unknown',
    records: [],
    authoritative: false,
    server: results.at(-1)?.server ?? `the servers of ${zone.apex}`,
    response:
      [...new Set(results.map(({ server, response }) => `${server} ${response}`))].join('; ') ||
      'have no public address',
    at: now().toISOString(),
  });

  const queryResolvers = async (query: RecordQuery, signal: AbortSignal): Promise<LookupResult | undefined> => {
    for (const server of resolvers) {
      const result = await queryServer(server, query, { signal });
      if (result.outcome !== 'unknown') return { ...result, server: toResolverName(server) };
    }
    return undefined;
  };

  return async (query: RecordQuery, options: QueryOptions): Promise<LookupResult> => {
    const { allServers = false, signal } = options;
    const name = toDnsZoneName(query.name);
    let zone = await dnsZones.find(name, { refresh: allServers, signal });
    let result: LookupResult | undefined;
    for (let hop = 0; zone && hop < referralsMax; hop += 1) {
      const { below, ...zoneResult } = await queryZone(zone, query, options);
      result = zoneResult;
      if (result.outcome === 'unknown' && !below) dnsZones.invalidate(name, zone);
      zone = below;
    }
    if (result && result.outcome !== 'unknown') return result;
    const withoutServers = { apex: query.name, servers: [] };
    return (await queryResolvers(query, signal)) ?? result ?? toUnknown([], withoutServers);
  };
}

/** Challenge names and wildcards are rarely zone cuts; if one is, the parent zone refers to it. */
const toDnsZoneName = (name: string): string => name.replace(/^([_*][^.]*\.)+/, '');

/** Starts at a random server, so that repeated lookups detect one with outdated records. */
const rotate = (servers: Server[]): Server[] => {
  const start = Math.floor(Math.random() * servers.length);
  return [...servers.slice(start), ...servers.slice(0, start)];
};

function interpretReply(
  reply: Reply,
  { name, type }: RecordQuery,
  byResolver: boolean,
): Pick<LookupResult, 'outcome' | 'records' | 'response' | 'alias'> {
  const none = { records: [] as Answer[] };
  if (reply.rcode !== 'NOERROR' && reply.rcode !== 'NXDOMAIN')
    return { ...none, outcome: 'unknown', response: `says ${reply.rcode}` };
  const atName = reply.answers.filter((record) => normalizeName(record.name) === normalizeName(name));
  const alias = atName.find((record) => record.type === 'CNAME');
  if (!reply.authoritative && !byResolver)
    return { ...none, outcome: 'unknown', response: 'is not authoritative for this zone' };
  const records = atName.filter((record) => record.type === type);
  if (records.length > 0) return { outcome: 'found', records, response: `has ${records.length} ${type}` };
  if (alias?.type === 'CNAME')
    return {
      ...none,
      outcome: 'absent',
      response: `has a CNAME to ${normalizeName(alias.data)}`,
      alias: normalizeName(alias.data),
    };
  // A resolver that returns a referral does not know the name.
  const referral = byResolver && reply.rcode === 'NOERROR' && reply.authorities.some((record) => record.type === 'NS');
  if (referral) return { ...none, outcome: 'unknown', response: 'returned only a referral' };
  return { ...none, outcome: 'absent', response: reply.rcode === 'NXDOMAIN' ? 'says NXDOMAIN' : `has no ${type}` };
}
