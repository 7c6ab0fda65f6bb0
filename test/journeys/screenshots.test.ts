import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ApiClient } from '../../src/clients/api-client.ts';
import { createAcmeOrg, createProduct, waitForZonePhase } from '../support/platform/acme.ts';
import { waitUntil } from '../support/platform/wait-until.ts';
import { chromiumPath, describeWithChromium } from '../support/servers/chromium.ts';
import { TestPlatform } from '../support/platform/test-platform.ts';

type Artifacts = { items: { zone: string; type: string; url: string; failure?: string }[] };

describeWithChromium('a Release in a zone', () => {
  let platform: TestPlatform;
  let api: ApiClient;
  beforeAll(async () => {
    platform = await TestPlatform.start({ CHROMIUM_PATH: chromiumPath });
    api = await platform.signInAsRoot();
    await createAcmeOrg(api);
  });
  afterAll(async () => await platform.remove());

  it('has a screenshot of its site by a real browser, to which the zone links', async () => {
    await createProduct(platform, api, { name: 'shop' });
    const { name } = await api.post<{ name: string }>('/v1/orgs/acme/releases', { product: 'shop' });
    await waitForZonePhase(api, name, { zone: 'shop-rc', phase: 'Verified' });
    const artifacts = await waitUntil(
      async () => await api.get<Artifacts>(`/v1/orgs/acme/releases/${name}/artifacts`),
      ({ items }) => items.length > 0,
    );
    expect(artifacts.items).toEqual([expect.objectContaining({ zone: 'shop-rc', type: 'image/png' })]);
    const zone = await api.get<{ status: { screenshot?: { artifact: string } } }>(
      '/v1/orgs/acme/products/shop/zones/shop-rc',
    );
    expect(artifacts.items[0]?.url).toContain(zone.status.screenshot?.artifact.replace('artifact:', ''));
  });
});
