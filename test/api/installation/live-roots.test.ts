import { expect, it } from 'vitest';
import { startDns } from '../../../src/emulators/dns/start-dns.ts';
import { waitUntil } from '../../support/platform/wait-until.ts';
import { openMemoryStore } from '../../support/open-test-store.ts';
import { startDomainHarness } from '../../support/workflows/domain-harness.ts';

it('orgs claim managed domains under a root that a platform admin has just set up, without a restart', async () => {
  const store = openMemoryStore();
  const dns = await startDns({ store, dnsZones: ['sites.test'], port: 0 });
  const harness = await startDomainHarness({
    store,
    resolver: dns.address,
    zoneServers: [{ dnsZone: 'sites.test', server: dns.address }],
    settings: { managedBaseDomains: [] },
    sweepIntervalMs: 600_000,
  });
  try {
    const domains = '/v1/orgs/acme/domains';
    const claim = async () => await harness.callApi(domains, 'POST', { name: 'shop.sites.test', kind: 'managed' });
    expect(await claim()).toMatchObject({
      status: 422,
      body: { errors: [{ detail: expect.stringContaining('ask a platform admin to set up domain roots') as string }] },
    });
    const body = {
      platformDomain: 'apps.example.net',
      managedDomainRoots: ['sites.test'],
      signIn: { password: 'everyone' },
    };
    const saved = await harness.request('/v1/installation', {
      method: 'PUT',
      via: 'session',
      headers: { 'If-Match': '*' },
      body,
    });
    expect(saved.status).toBe(200);
    expect(await claim()).toMatchObject({ status: 201 });
    await waitUntil(
      async () => (await harness.callApi(`${domains}/shop.sites.test`)).body['status'] as { state: string } | undefined,
      (status) => status?.state === 'Verified',
    );
    const removal = await harness.request('/v1/installation', {
      method: 'PUT',
      via: 'session',
      headers: { 'If-Match': '*' },
      body: { ...body, managedDomainRoots: [] },
    });
    expect(removal.status).toBe(409);
  } finally {
    await harness.close();
    await dns.close();
    await store.close();
  }
});
