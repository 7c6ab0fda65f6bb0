import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDns, type LocalDns } from '../../../src/local/dns/start-dns.ts';
import { DnsEndpointKind, EventKind } from '../../../src/rules/domains/kinds.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import { type DomainWorld, startDomainWorld } from '../../support/domain-world.ts';
import { until } from '../../support/acme.ts';

const path = '/v1/orgs/acme/domains';
const system = 'service-system';

describe('managed domains', () => {
  const store = openSqliteStore({ file: ':memory:' });
  const empty = openSqliteStore({ file: ':memory:' });
  let dns: LocalDns;
  let world: DomainWorld;
  beforeAll(async () => {
    dns = await startDns({ store, zones: ['managed.test'], port: 0 });
    world = await startDomainWorld({
      store,
      resolver: '127.0.0.5:9',
      zoneServers: [{ zone: 'managed.test', server: dns.address }],
    });
  });
  afterAll(async () => {
    await world.close();
    await dns.close();
    await store.close();
    await empty.close();
  });
  const claim = async (name: string, org = 'acme') =>
    await world.call(`/v1/orgs/${org}/domains`, 'POST', { name, kind: 'managed' });
  const stateOf = async (name: string): Promise<string | undefined> => {
    const { body } = await world.call(path);
    const { items } = body as unknown as { items: { name: string; status: { state: string } }[] };
    return items.find((one) => one.name === name)?.status.state;
  };

  it('are verified within seconds, by what the servers answer, for the name and all under it', async () => {
    const startedAt = performance.now();
    expect(await claim('shop.managed.test')).toMatchObject({ status: 201, body: { spec: { kind: 'managed' } } });
    await until(
      async () => await stateOf('shop.managed.test'),
      (state) => state === 'Verified',
    );
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    const { spec } = await store.get(DnsEndpointKind, { namespace: system, name: 'shop.managed.test' });
    expect(spec.endpoints).toEqual([
      { dnsName: 'shop.managed.test', recordType: 'A', targets: ['192.0.2.1'], recordTTL: 60 },
      { dnsName: '*.shop.managed.test', recordType: 'A', targets: ['192.0.2.1'], recordTTL: 60 },
    ]);
  });

  it('409: are refused where a DNS record of somebody else’s stands', async () => {
    const metadata = { namespace: system, name: 'by-hand' };
    const endpoint = { dnsName: 'taken.managed.test', recordType: 'A', targets: ['198.51.100.7'] };
    await store.create(DnsEndpointKind, { metadata, spec: { endpoints: [endpoint] } });
    await until(
      async () => await claim('taken.managed.test'),
      ({ status }) => status === 409,
    );
    expect(await claim('taken.managed.test')).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('has a DNS record already') },
    });
    expect(await store.find(DnsEndpointKind, { namespace: system, name: 'taken.managed.test' })).toBeUndefined();
  });

  it('409: are refused to a second org', async () => {
    await claim('mine.managed.test');
    expect(await claim('mine.managed.test', 'other')).toMatchObject({ status: 409 });
  });

  it('go with their DNS records, and can be claimed again', async () => {
    await claim('gone.managed.test');
    await until(
      async () => await stateOf('gone.managed.test'),
      (state) => state === 'Verified',
    );
    expect(await world.call(`${path}/gone.managed.test`, 'DELETE')).toEqual({
      status: 200,
      body: { name: 'gone.managed.test', remaining: [] },
    });
    expect(await store.find(DnsEndpointKind, { namespace: system, name: 'gone.managed.test' })).toBeUndefined();
    await until(
      async () => await claim('gone.managed.test', 'other'),
      ({ status }) => status === 201,
    );
  });

  it('say what the controller that writes the records has to complain about', async () => {
    await dns.close();
    // In place of one that nobody can write to.
    dns = await startDns({ store: empty, zones: ['managed.test'], port: Number(dns.address.split(':')[1]) });
    expect(await claim('denied.managed.test')).toMatchObject({ status: 201 });
    await store.create(EventKind, {
      metadata: { namespace: system, name: 'denied.1' },
      type: 'Warning',
      note: 'TSIG: bad key',
      regarding: { kind: 'DNSEndpoint', namespace: system, name: 'denied.managed.test' },
    });
    const { body } = await world.call(`${path}/denied.managed.test/check`, 'POST');
    expect(body).toMatchObject({
      status: {
        state: 'WaitingForDns',
        checks: { ownership: { message: expect.stringContaining('credentials') } },
      },
    });
  });
});
