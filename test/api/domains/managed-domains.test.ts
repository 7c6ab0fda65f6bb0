import { Resolver } from 'node:dns/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDns, type DnsServer } from '../../../src/emulators/dns/start-dns.ts';
import { DnsEndpointKind } from '../../../src/kinds/external-dns.ts';
import { EventsV1EventKind } from '../../../src/kinds/kubernetes.ts';
import { openMemoryStore } from '../../support/open-test-store.ts';
import { type DomainHarness, startDomainHarness } from '../../support/workflows/domain-harness.ts';
import { waitUntil } from '../../support/platform/wait-until.ts';

const path = '/v1/orgs/acme/domains';
const system = 'service-system';

describe('managed domains', () => {
  const store = openMemoryStore();
  const empty = openMemoryStore();
  let dns: DnsServer;
  let withoutRecords: DnsServer;
  let harness: DomainHarness;
  beforeAll(async () => {
    dns = await startDns({ store, dnsZones: ['managed.test'], port: 0 });
    withoutRecords = await startDns({ store: empty, dnsZones: ['denied.test'], port: 0 });
    harness = await startDomainHarness({
      store,
      resolver: dns.address,
      zoneServers: [
        { dnsZone: 'managed.test', server: dns.address },
        { dnsZone: 'denied.test', server: withoutRecords.address },
      ],
      settings: { managedBaseDomains: ['managed.test', 'denied.test'] },
      sweepIntervalMs: 600_000,
    });
  });
  afterAll(async () => {
    await harness.close();
    await Promise.all([dns.close(), withoutRecords.close()]);
    await store.close();
    await empty.close();
  });
  const claim = async (name: string, org = 'acme') =>
    await harness.callApi(`/v1/orgs/${org}/domains`, 'POST', { name, kind: 'managed' });
  const getState = async (name: string): Promise<string | undefined> => {
    const { body } = await harness.callApi(path);
    const { items } = body as unknown as { items: { name: string; status: { state: string } }[] };
    return items.find((domain) => domain.name === name)?.status.state;
  };

  it('201: verifies a managed domain without waiting for a sweep, and creates its records', async () => {
    expect(await claim('shop.managed.test')).toMatchObject({ status: 201, body: { spec: { kind: 'managed' } } });
    await waitUntil(
      async () => await getState('shop.managed.test'),
      (state) => state === 'Verified',
    );
    const { spec } = await store.get(DnsEndpointKind, { namespace: system, name: 'shop.managed.test' });
    expect(spec.endpoints).toEqual([
      { dnsName: 'shop.managed.test', recordType: 'A', targets: ['192.0.2.1'], recordTTL: 60 },
      { dnsName: '*.shop.managed.test', recordType: 'A', targets: ['192.0.2.1'], recordTTL: 60 },
    ]);
  });

  it('409: rejects a name with a foreign DNS record', async () => {
    const metadata = { namespace: system, name: 'by-hand' };
    const endpoint = { dnsName: 'taken.managed.test', recordType: 'A', targets: ['198.51.100.7'] };
    await store.create(DnsEndpointKind, { metadata, spec: { endpoints: [endpoint] } });
    const resolver = new Resolver();
    resolver.setServers([dns.address]);
    await waitUntil(
      async () => await resolver.resolve4('taken.managed.test'),
      ([address]) => address === '198.51.100.7',
    );
    expect(await claim('taken.managed.test')).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('has a DNS record that the service did not create') },
    });
    expect(await store.find(DnsEndpointKind, { namespace: system, name: 'taken.managed.test' })).toBeUndefined();
  });

  it('409: rejects a name that another org holds', async () => {
    expect(await claim('mine.managed.test')).toMatchObject({ status: 201 });
    expect(await claim('mine.managed.test', 'other')).toMatchObject({ status: 409 });
  });

  it('200: deletes the DNS records and releases the name', async () => {
    expect(await claim('gone.managed.test')).toMatchObject({ status: 201 });
    await waitUntil(
      async () => await getState('gone.managed.test'),
      (state) => state === 'Verified',
    );
    expect(await harness.callApi(`${path}/gone.managed.test`, 'DELETE')).toEqual({
      status: 200,
      body: { name: 'gone.managed.test', remainingRecords: [] },
    });
    expect(await store.find(DnsEndpointKind, { namespace: system, name: 'gone.managed.test' })).toBeUndefined();
    await waitUntil(
      async () => await claim('gone.managed.test', 'other'),
      ({ status }) => status === 201,
    );
  });

  it('200: reports the error of the DNS controller', async () => {
    expect(await claim('shop.denied.test')).toMatchObject({ status: 201 });
    await store.create(EventsV1EventKind, {
      metadata: { namespace: system, name: 'denied.1' },
      type: 'Warning',
      note: 'TSIG: bad key',
      regarding: { kind: 'DNSEndpoint', namespace: system, name: 'shop.denied.test' },
    });
    const { body } = await harness.callApi(`${path}/shop.denied.test/check`, 'POST');
    expect(body).toMatchObject({
      status: {
        state: 'WaitingForDns',
        checks: { ownership: { message: expect.stringContaining('credentials') } },
      },
    });
  });
});
