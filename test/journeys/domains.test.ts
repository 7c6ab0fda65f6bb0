import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ApiClient } from '../../src/clients/api-client.ts';
import { createAcmeOrg } from '../support/platform/acme.ts';
import { waitUntil } from '../support/platform/wait-until.ts';
import { TestPlatform } from '../support/platform/test-platform.ts';
import { describeWithTemporal } from '../support/workflows/temporal-client.ts';

type DomainView = { name: string; status: { state: string; lastCheckedAt?: string } };

describeWithTemporal('domains on one machine', () => {
  let platform: TestPlatform;
  let api: ApiClient;
  beforeAll(async () => {
    platform = await TestPlatform.start();
    api = await platform.signInAsRoot();
    await createAcmeOrg(api);
  });
  afterAll(async () => await platform.remove());
  const readState = async (name: string): Promise<string | undefined> => {
    const { items } = await api.get<{ items: DomainView[] }>('/v1/orgs/acme/domains');
    return items.find((domain) => domain.name === name)?.status.state;
  };

  it('verifies a managed domain with the embedded DNS server, even after the platform was killed', async () => {
    await api.post('/v1/orgs/acme/domains', { name: 'shop.domains.localhost', kind: 'managed' });
    await waitUntil(
      async () => await readState('shop.domains.localhost'),
      (state) => state === 'Verified',
    );
    await api.post('/v1/orgs/acme/domains', { name: 'cake.domains.localhost', kind: 'managed' });
    await platform.killTree();
    await platform.start();
    await waitUntil(
      async () => await readState('cake.domains.localhost'),
      (state) => state === 'Verified',
    );
    expect(await readState('shop.domains.localhost')).toBe('Verified');
    expect(await readState('localhost')).toBe('Verified');
  });
});
