import type { Answer, RecordType } from 'dns-packet';
import type { DnsOptions } from './dns.ts';
import { type Exchange, NoAnswer } from './exchange.ts';
import type { Reply } from './message.ts';
import { plain } from './names.ts';
import type { Server } from './udp-sockets.ts';
import type { Zone, Zones } from './zones.ts';

/** What one server, or the best of several, said about one name. */
export type Look = {
  outcome: 'found' | 'absent' | 'unknown';
  records: Answer[];
  authoritative: boolean;
  server: string;
  said: string;
  at: string;
  alias?: string;
};
type Asked = { name: string; type: RecordType };
type Deps = { exchange: Exchange; zones: Zones; resolvers: readonly Server[] } & Pick<DnsOptions, 'now'>;

const referralsMax = 4;
const resolverName = 'the resolver';

/** Asks the servers of the zone that has the name; where none of them can be heard, the resolver. */
export function createLook(deps: Deps) {
  const { exchange, zones, resolvers, now } = deps;
  const attempt = async (server: Server, { name, type }: Asked, zone?: Zone): Promise<Look & { below?: Zone }> => {
    const heard = { records: [], server: called(server), at: now().toISOString(), authoritative: zone !== undefined };
    try {
      const reply = await exchange.ask(server, { name, type, recursive: zone === undefined });
      const below = zone && !reply.authoritative ? await zones.referredTo(reply, name, zone.apex) : undefined;
      return { ...heard, ...judge(reply, { name, type }, zone === undefined), ...(below && { below }) };
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      return { ...heard, outcome: 'unknown', said: error.message };
    }
  };

  /** One good answer is enough, unless it is "no" and all are to be asked. */
  const askZone = async (zone: Zone, asked: Asked, thorough: boolean): Promise<Look & { below?: Zone }> => {
    const looks: (Look & { below?: Zone })[] = [];
    // A lost packet is not a server that is away: a single one is asked twice.
    const servers = zone.servers.length === 1 ? [...zone.servers, ...zone.servers] : turned(zone.servers);
    for (const server of servers) {
      const look = await attempt(server, asked, zone);
      if (look.outcome === 'found' || look.below) return look;
      looks.push(look);
      if (look.outcome === 'absent' && !thorough) break;
    }
    return looks.find(({ outcome }) => outcome === 'absent') ?? unknown(looks, zone);
  };

  const unknown = (looks: Look[], zone: Zone): Look => ({
    outcome: 'unknown',
    records: [],
    authoritative: false,
    server: looks.at(-1)?.server ?? `the servers of ${zone.apex}`,
    said:
      [...new Set(looks.map(({ server, said }) => `${server} ${said}`))].join('; ') || 'no address is known of them',
    at: now().toISOString(),
  });

  const askResolvers = async (asked: Asked): Promise<Look | undefined> => {
    for (const server of resolvers) {
      const look = await attempt(server, asked);
      if (look.outcome !== 'unknown') return { ...look, server: `${resolverName} ${look.server}` };
    }
    return undefined;
  };

  return async (asked: Asked, { thorough = false }: { thorough?: boolean } = {}): Promise<Look> => {
    const name = zoneName(asked.name);
    let zone = await zones.of(name, { anew: thorough });
    let look: Look | undefined;
    for (let hop = 0; zone && hop < referralsMax; hop += 1) {
      const { below, ...heard } = await askZone(zone, asked, thorough);
      look = heard;
      if (look.outcome === 'unknown' && !below) zones.forget(name, zone);
      zone = below;
    }
    if (look && look.outcome !== 'unknown') return look;
    const nobody = { apex: asked.name, servers: [] };
    return (await askResolvers(asked)) ?? look ?? unknown([], nobody);
  };
}

/** Challenge names and wildcards are not what zones are cut at; where one is, its parent refers there. */
const zoneName = (name: string): string => name.replace(/^([_*][^.]*\.)+/, '');

const called = ({ host, address }: Server): string => (host === undefined ? address : `${host} (${address})`);

/** Begins elsewhere each time, so that a server that lags behind is found out at the next look. */
const turned = (servers: Server[]): Server[] => {
  const start = Math.floor(Math.random() * servers.length);
  return [...servers.slice(start), ...servers.slice(0, start)];
};

function judge(
  reply: Reply,
  { name, type }: Asked,
  byResolver: boolean,
): Pick<Look, 'outcome' | 'records' | 'said' | 'alias'> {
  const none = { records: [] as Answer[] };
  if (reply.rcode !== 'NOERROR' && reply.rcode !== 'NXDOMAIN')
    return { ...none, outcome: 'unknown', said: `says ${reply.rcode}` };
  const atName = reply.answers.filter((record) => plain(record.name) === plain(name));
  const alias = atName.find((record) => record.type === 'CNAME');
  if (!reply.authoritative && !byResolver)
    return { ...none, outcome: 'unknown', said: 'does not answer for this zone' };
  const records = atName.filter((record) => record.type === type);
  if (records.length > 0) return { outcome: 'found', records, said: `has ${records.length} ${type}` };
  if (alias?.type === 'CNAME')
    return { ...none, outcome: 'absent', said: `has a CNAME to ${plain(alias.data)}`, alias: plain(alias.data) };
  // A resolver that only refers to others knows nothing of the name.
  const referral = byResolver && reply.rcode === 'NOERROR' && reply.authorities.some((record) => record.type === 'NS');
  if (referral) return { ...none, outcome: 'unknown', said: 'refers to others' };
  return { ...none, outcome: 'absent', said: reply.rcode === 'NXDOMAIN' ? 'says NXDOMAIN' : `has no ${type}` };
}
