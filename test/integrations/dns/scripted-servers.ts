import { type Answer, AUTHORITATIVE_ANSWER, type DecodedPacket, type Packet } from 'dns-packet';
import { onTestFinished } from 'vitest';
import { createDns } from '../../../src/integrations/dns/create-dns.ts';
import type { Dns, DnsOptions } from '../../../src/integrations/dns/dns.ts';
import { startFakeDnsServer } from '../../support/servers/fake-dns-server.ts';

export type Question = { name: string; type: string; recursive: boolean };
export type ScriptedReply = {
  rcode?: 'SERVFAIL' | 'NXDOMAIN';
  authoritative?: boolean;
  answers?: Answer[];
  authorities?: Answer[];
  additionals?: Answer[];
};
/** Answers a question; a server without an answer says SERVFAIL. */
export type Respond = (question: Question) => ScriptedReply | undefined;

const statuses = { NOERROR: 0, SERVFAIL: 2, NXDOMAIN: 3 };

export const soa = (name: string): Answer => ({
  type: 'SOA',
  name,
  data: { mname: 'ns.test', rname: 'h.test', serial: 1, refresh: 1, retry: 1, expire: 1, minimum: 1 },
});
export const ns = (name: string, data: string): Answer => ({ type: 'NS', name, data });
export const a = (name: string, data: string): Answer => ({ type: 'A', name, data });
export const txt = (name: string, data: string): Answer => ({ type: 'TXT', name, data });
export const cname = (name: string, data: string): Answer => ({ type: 'CNAME', name, data });
/** Refers to the server of a zone below. */
export const referral = (zone: string, address: string): ScriptedReply => ({
  authorities: [ns(zone, `ns.${zone}`)],
  additionals: [a(`ns.${zone}`, address)],
});

/** Starts name servers at loopback addresses and one port. The resolver is the server at 127.0.0.1. */
export async function startScriptedServers(
  script: Record<string, Respond>,
  options: Partial<DnsOptions> & { resolverAddresses?: string[] } = {},
) {
  const { resolverAddresses = ['127.0.0.1'], ...changes } = options;
  const asked: string[] = [];
  let port = 0;
  for (const [address, respond] of Object.entries(script)) {
    const server = await startFakeDnsServer({
      address,
      port,
      answer: (query) => {
        const question = toQuestion(query);
        asked.push(`${address} ${question.type} ${question.name}${question.recursive ? ' recursive' : ''}`);
        return toPacket(query, respond(question) ?? { rcode: 'SERVFAIL' });
      },
    });
    port = Number(server.address.split(':').at(-1));
  }
  const dns: Dns = createDns({
    resolvers: resolverAddresses.map((address) => `${address}:${port}`),
    port,
    timeoutMs: 60_000,
    lookupTimeoutMs: 60_000,
    allowedInside: [{ range: '127.0.0.0/8' }],
    now: () => new Date('2026-05-04T10:00:00Z'),
    ...changes,
  });
  onTestFinished(async () => await dns.close());
  /** Returns what was asked since the last call. */
  return { dns, port, takeAsked: () => asked.splice(0) };
}

const toQuestion = ({ questions = [], flag_rd: recursive }: DecodedPacket): Question => {
  const [{ name, type } = { name: '', type: 'A' as const }] = questions;
  return { name: name.toLowerCase(), type, recursive };
};

function toPacket({ id = 0, questions = [] }: DecodedPacket, reply: ScriptedReply): Packet {
  const { rcode = 'NOERROR', authoritative = false, ...records } = reply;
  return {
    type: 'response',
    id,
    flags: statuses[rcode] | (authoritative ? AUTHORITATIVE_ANSWER : 0),
    questions,
    ...records,
  };
}
