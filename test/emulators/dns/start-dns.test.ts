import { Resolver } from 'node:dns/promises';
import { expect, it, onTestFinished } from 'vitest';
import { startDns } from '../../../src/emulators/dns/start-dns.ts';
import { DnsEndpointKind } from '../../../src/kinds/external-dns.ts';
import { openMemoryStore } from '../../support/open-test-store.ts';

it('serves the records of DNSEndpoints authoritatively, until they are deleted', async () => {
  const store = openMemoryStore();
  const server = await startDns({ store, dnsZones: ['example.test'], port: 0 });
  onTestFinished(async () => {
    await server.close();
    await store.close();
  });
  const resolver = new Resolver();
  resolver.setServers([server.address]);
  const ref = { namespace: 'hello-rc', name: 'hello' };
  await store.create(DnsEndpointKind, {
    metadata: ref,
    spec: { endpoints: [{ dnsName: 'hello.example.test', recordType: 'A', targets: ['192.0.2.1'] }] },
  });
  const resolve = async () => await resolver.resolve4('hello.example.test').catch(({ code }: { code: string }) => code);
  await expect.poll(resolve).toEqual(['192.0.2.1']);
  expect(await resolver.resolveNs('example.test')).toEqual(['ns.example.test']);
  expect(await resolver.resolveSoa('example.test')).toMatchObject({ nsname: 'ns.example.test' });
  await expect(resolver.resolve4('unknown.example.test')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  await expect(resolver.resolveTxt('hello.example.test')).rejects.toMatchObject({ code: 'ENODATA' });
  await expect(resolver.resolve4('hello.other.test')).rejects.toMatchObject({ code: 'EREFUSED' });

  await store.delete(DnsEndpointKind, ref);
  await expect.poll(resolve).toBe('ENOTFOUND');
});
