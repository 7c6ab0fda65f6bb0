import { type Answer, AUTHORITATIVE_ANSWER, type Packet, decode, encode } from 'dns-packet';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { watchObjects } from '../watch-objects.ts';
import type { Store } from '../../store/store.ts';
import { DnsEndpointKind } from '../../kinds/external-dns.ts';
import { DnsRecords } from './dns-records.ts';

export type DnsServer = { address: string; close(): Promise<void> };
type DnsOptions = {
  store: Store;
  /** The server is authoritative for these zones. */
  dnsZones: readonly string[];
  port: number;
  host?: string;
};

const rcodeRefused = 5;
const rcodeNameError = 3;

/** Starts an authoritative DNS server for the records of DNSEndpoints, as a DNS provider would serve them. */
export async function startDns({ store, dnsZones, port, host = '127.0.0.1' }: DnsOptions): Promise<DnsServer> {
  const records = new DnsRecords();
  const stopping = new AbortController();
  const watching = watchObjects(store, DnsEndpointKind, {
    signal: stopping.signal,
    onUpdate: ({ metadata, spec }) => records.set(metadata.uid, spec.endpoints),
    onDelete: ({ metadata }) => records.set(metadata.uid, undefined),
  });
  const socket = createSocket('udp4');
  socket.on('message', (bytes, from) => {
    const reply = answerQuery(bytes, records, dnsZones);
    if (reply) socket.send(reply, from.port, from.address);
  });
  socket.bind(port, host);
  await once(socket, 'listening');
  return {
    address: `${host}:${(socket.address() as AddressInfo).port}`,
    async close() {
      stopping.abort();
      await watching;
      await new Promise<void>((resolve) => socket.close(() => resolve()));
    },
  };
}

/** Returns undefined for packets other than queries, which get no response. */
function answerQuery(bytes: Buffer, records: DnsRecords, dnsZones: readonly string[]): Buffer | undefined {
  const query = parseQuery(bytes);
  const [question] = query?.questions ?? [];
  if (!query || !question) return undefined;
  const name = question.name.toLowerCase();
  const dnsZone = dnsZones.find((one) => name === one || name.endsWith(`.${one}`));
  const reply = (flags: number, sections: Partial<Packet>): Buffer =>
    encode({ type: 'response', id: query.id ?? 0, questions: [question], flags, ...sections });
  if (dnsZone === undefined) return reply(rcodeRefused, {});
  if (name === dnsZone && (question.type === 'SOA' || question.type === 'NS'))
    return reply(AUTHORITATIVE_ANSWER, { answers: [question.type === 'SOA' ? soaRecord(dnsZone) : nsRecord(dnsZone)] });
  const { exists, answers } = records.lookup(name, question.type);
  // The answer repeats the spelling of the question, because resolvers compare the two.
  const spelled = answers.map((record) => ({ ...record, name: question.name }));
  if (spelled.length > 0) return reply(AUTHORITATIVE_ANSWER, { answers: spelled });
  return reply(AUTHORITATIVE_ANSWER | (exists || name === dnsZone ? 0 : rcodeNameError), {
    authorities: [soaRecord(dnsZone)],
  });
}

function parseQuery(bytes: Buffer): Packet | undefined {
  try {
    const packet = decode(bytes);
    return packet.type === 'query' ? packet : undefined;
  } catch {
    return undefined;
  }
}

const nsRecord = (dnsZone: string): Answer => ({ type: 'NS', name: dnsZone, ttl: 60, data: `ns.${dnsZone}` });
const soaRecord = (dnsZone: string): Answer => ({
  type: 'SOA',
  name: dnsZone,
  ttl: 60,
  data: {
    mname: `ns.${dnsZone}`,
    rname: `hostmaster.${dnsZone}`,
    serial: 1,
    refresh: 60,
    retry: 60,
    expire: 60,
    minimum: 1,
  },
});
