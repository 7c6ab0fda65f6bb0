import { expect, it, onTestFinished } from 'vitest';
import { createDns } from '../../../src/integrations/dns/create-dns.ts';
import type { Dns } from '../../../src/integrations/dns/dns.ts';
import { type FakeDnsServer, startFakeDnsServer } from '../../support/servers/fake-dns-server.ts';

/** Creates a client whose resolver and whose only other name server receive queries and answer none. */
async function startWithSilentServers(): Promise<{ dns: Dns; server: FakeDnsServer }> {
  const [resolver, server] = [await startFakeDnsServer(), await startFakeDnsServer()];
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
  const { dns, server } = await startWithSilentServers();
  const names = Array.from({ length: 400 }, (_, index) => `_service.n${index}.silent.test`);
  await Promise.all(names.slice(0, 3).map(async (name) => await dns.lookupTxt(name)));
  for (const name of names) expect((await dns.lookupTxt(name)).outcome).toBe('unknown');
  // The server is tried again after some seconds, which is rarely on the busiest machine.
  expect(server.received()).toBeLessThan(names.length / 10);
});
