import { setTimeout as sleep } from 'node:timers/promises';
import { AUTHORITATIVE_ANSWER, type DecodedPacket, type Packet } from 'dns-packet';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDns } from '../../../src/integrations/dns/create-dns.ts';
import type { Dns } from '../../../src/integrations/dns/dns.ts';
import { answerServerFailure, type FakeDnsServer, startFakeDnsServer } from '../../support/servers/fake-dns-server.ts';
import { cname } from './scripted-servers.ts';

/** Creates a client whose resolver, by default, and whose only other name server receive queries and answer none. */
async function startWithSilentServers(
  answer?: (query: DecodedPacket) => Packet,
): Promise<{ dns: Dns; server: FakeDnsServer }> {
  const resolver = await startFakeDnsServer(answer && { answer });
  const server = await startFakeDnsServer();
  const dns = createDns({
    resolvers: [resolver.address],
    zoneServers: [{ dnsZone: 'silent.test', server: server.address }],
    timeoutMs: 20,
    allowedInside: [{ range: '127.0.0.0/8' }],
    now: () => new Date(),
  });
  onTestFinished(async () => await dns.close());
  return { dns, server };
}

it('returns unknown when no server responds in time', async () => {
  const { dns } = await startWithSilentServers();
  expect(await dns.lookupTxt('_service.silent.test')).toMatchObject({
    outcome: 'unknown',
    response: expect.stringContaining('127.0.0.1 did not respond within 20 ms'),
  });
});

it('asks the only server of a zone twice, because a packet may be lost', async () => {
  const { dns, server } = await startWithSilentServers();
  await dns.lookupTxt('_service.silent.test');
  expect(server.received()).toBe(2);
});

it('returns unknown when no resolver is reachable', async () => {
  const { dns } = await startWithSilentServers();
  expect(await dns.lookupTxt('_service.found.test')).toMatchObject({ outcome: 'unknown' });
});

it('sends few queries to a server that missed several', async () => {
  const { dns, server } = await startWithSilentServers(answerServerFailure);
  const names = Array.from({ length: 400 }, (_, index) => `_service.n${index}.silent.test`);
  await Promise.all(names.slice(0, 3).map(async (name) => await dns.lookupTxt(name)));
  for (const name of names) expect((await dns.lookupTxt(name)).outcome).toBe('unknown');
  // The server is tried again after some seconds, which is rarely on the busiest machine.
  expect(server.received()).toBeLessThan(names.length / 10);
});

/** Creates a client whose servers answer each query, late: 100 queries in sequence take at least 2 seconds. */
async function startWithSlowServers(): Promise<{ dns: Dns; resolver: FakeDnsServer; server: FakeDnsServer }> {
  const delayMs = 20;
  const resolver = await startFakeDnsServer({ delayMs, answer: answerServerFailure });
  const server = await startFakeDnsServer({ delayMs, answer: answerWithNextAlias });
  const dns = createDns({
    resolvers: [resolver.address],
    zoneServers: [{ dnsZone: 'slow.test', server: server.address }],
    timeoutMs: 60_000,
    lookupTimeoutMs: 60,
    allowedInside: [{ range: '127.0.0.0/8' }],
    now: () => new Date(),
  });
  onTestFinished(async () => await dns.close());
  return { dns, resolver, server };
}

/** Names such as a3.slow.test are aliases of the next one, and other names have no records. */
function answerWithNextAlias({ id = 0, questions = [] }: DecodedPacket): Packet {
  const { name = '' } = questions[0] ?? {};
  const number = /^a(\d)\.slow\.test$/i.exec(name)?.[1];
  const answers = number === undefined ? [] : [cname(name, `a${Number(number) + 1}.slow.test`)];
  return { type: 'response', id, flags: AUTHORITATIVE_ANSWER, questions, answers };
}

describe('a lookup whose servers answer, but too slowly in total', () => {
  const tooSlow = { outcome: 'unknown', records: [], response: 'the DNS servers took longer than 0.06 s in total' };
  const deepName = (parent: string): string => `${'a.'.repeat(100)}${parent}`;

  it('is unknown while it climbs to the parents of a deep name, and sends few queries after that', async () => {
    const { dns, server } = await startWithSlowServers();
    expect(await dns.lookupCaa(deepName('slow.test'))).toMatchObject(tooSlow);
    await sleep(500);
    expect(server.received()).toBeLessThan(10);
  });

  it('is unknown while it follows aliases', async () => {
    const { dns } = await startWithSlowServers();
    expect(await dns.lookupAddresses('a1.slow.test')).toMatchObject({
      ...tooSlow,
      aliases: expect.not.arrayContaining(['a8.slow.test']),
    });
  });

  it('is unknown while it searches the DNS zone of a deep name, and sends few queries after that', async () => {
    const { dns, resolver } = await startWithSlowServers();
    expect(await dns.lookupTxt(deepName('elsewhere.test'))).toMatchObject(tooSlow);
    await sleep(500);
    expect(resolver.received()).toBeLessThan(10);
  });
});
