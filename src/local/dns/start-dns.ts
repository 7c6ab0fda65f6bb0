import { type Answer, AUTHORITATIVE_ANSWER, type Packet, decode, encode } from 'dns-packet';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { follow } from '../cluster/follow.ts';
import type { Store } from '../../store/store.ts';
import { DnsEndpointKind } from './kinds.ts';
import { ZoneData } from './zone-data.ts';

export type LocalDns = { address: string; close(): Promise<void> };
type Options = {
  store: Store;
  /** What it is the authority for. */
  zones: readonly string[];
  port: number;
  host?: string;
};

const refused = 5;
const nameError = 3;

/** An authoritative server of the records that DNSEndpoints ask for, in place of a provider that holds the zones. */
export async function startDns({ store, zones, port, host = '127.0.0.1' }: Options): Promise<LocalDns> {
  const data = new ZoneData();
  const stopping = new AbortController();
  const following = follow(store, DnsEndpointKind, {
    signal: stopping.signal,
    see: ({ metadata, spec }) => data.set(metadata.uid, spec.endpoints),
    gone: ({ metadata }) => data.set(metadata.uid, undefined),
  });
  const socket = createSocket('udp4');
  socket.on('message', (bytes, from) => {
    const reply = answer(bytes, data, zones);
    if (reply) socket.send(reply, from.port, from.address);
  });
  socket.bind(port, host);
  await once(socket, 'listening');
  return {
    address: `${host}:${(socket.address() as AddressInfo).port}`,
    async close() {
      stopping.abort();
      await following;
      await new Promise<void>((resolve) => socket.close(() => resolve()));
    },
  };
}

/** Undefined for what is no question: nothing answers to that. */
function answer(bytes: Buffer, data: ZoneData, zones: readonly string[]): Buffer | undefined {
  const asked = questionIn(bytes);
  const [question] = asked?.questions ?? [];
  if (!asked || !question) return undefined;
  const name = question.name.toLowerCase();
  const zone = zones.find((one) => name === one || name.endsWith(`.${one}`));
  const reply = (flags: number, sections: Partial<Packet>): Buffer =>
    encode({ type: 'response', id: asked.id ?? 0, questions: [question], flags, ...sections });
  if (zone === undefined) return reply(refused, {});
  if (name === zone && (question.type === 'SOA' || question.type === 'NS'))
    return reply(AUTHORITATIVE_ANSWER, { answers: [question.type === 'SOA' ? soa(zone) : ns(zone)] });
  const { isThere, answers } = data.find(name, question.type);
  // As it was spelled in the question: that is how the other side knows its answer.
  const spelled = answers.map((record) => ({ ...record, name: question.name }));
  if (spelled.length > 0) return reply(AUTHORITATIVE_ANSWER, { answers: spelled });
  return reply(AUTHORITATIVE_ANSWER | (isThere || name === zone ? 0 : nameError), { authorities: [soa(zone)] });
}

function questionIn(bytes: Buffer): Packet | undefined {
  try {
    const packet = decode(bytes);
    return packet.type === 'query' ? packet : undefined;
  } catch {
    return undefined;
  }
}

const ns = (zone: string): Answer => ({ type: 'NS', name: zone, ttl: 60, data: `ns.${zone}` });
const soa = (zone: string): Answer => ({
  type: 'SOA',
  name: zone,
  ttl: 60,
  data: { mname: `ns.${zone}`, rname: `hostmaster.${zone}`, serial: 1, refresh: 60, retry: 60, expire: 60, minimum: 1 },
});
