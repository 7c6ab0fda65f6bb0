import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Api } from '../../src/clients/http.ts';
import { createAcme, until } from '../support/acme.ts';
import { TestPlatform } from '../support/platform.ts';
import { describeWithTemporal } from '../support/temporal-client.ts';

type DomainView = { name: string; status: { state: string; lastCheckedAt?: string } };

describeWithTemporal('domains on one machine', () => {
  let platform: TestPlatform;
  let api: Api;
  beforeAll(async () => {
    platform = await TestPlatform.start();
    api = await platform.asRoot();
    await createAcme(api);
  });
  afterAll(async () => await platform.remove());
  const stateOf = async (name: string): Promise<string | undefined> => {
    const { items } = await api.get<{ items: DomainView[] }>('/v1/orgs/acme/domains');
    return items.find((one) => one.name === name)?.status.state;
  };

  it('a managed one is verified by the embedded server, also after the platform was killed', async () => {
    await api.post('/v1/orgs/acme/domains', { name: 'shop.domains.localhost', kind: 'managed' });
    await until(
      async () => await stateOf('shop.domains.localhost'),
      (state) => state === 'Verified',
    );
    await api.post('/v1/orgs/acme/domains', { name: 'cake.domains.localhost', kind: 'managed' });
    await platform.killTree();
    await platform.start();
    await until(
      async () => await stateOf('cake.domains.localhost'),
      (state) => state === 'Verified',
    );
    expect(await stateOf('shop.domains.localhost')).toBe('Verified');
    expect(await stateOf('localhost')).toBe('Verified');
  });
});
