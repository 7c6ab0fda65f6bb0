import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Api } from '../../src/clients/http.ts';
import { createAcme, createProduct, until, zoneIs } from '../support/acme.ts';
import { chromiumPath, describeWithChromium } from '../support/chromium.ts';
import { TestPlatform } from '../support/platform.ts';

type Pictures = { items: { zone: string; type: string; url: string; failure?: string }[] };

describeWithChromium('a Release that came into a zone', () => {
  let platform: TestPlatform;
  let api: Api;
  beforeAll(async () => {
    platform = await TestPlatform.start({ CHROMIUM_PATH: chromiumPath });
    api = await platform.asRoot();
    await createAcme(api);
  });
  afterAll(async () => await platform.remove());

  it('has a picture of the site there, by a real browser, and the zone points at it', async () => {
    await createProduct(platform, api, { name: 'shop' });
    const { name } = await api.post<{ name: string }>('/v1/orgs/acme/releases', { product: 'shop' });
    await zoneIs(api, name, { zone: 'shop-rc', phase: 'Verified' });
    const pictures = await until(
      async () => await api.get<Pictures>(`/v1/orgs/acme/releases/${name}/artifacts`),
      ({ items }) => items.length > 0,
    );
    expect(pictures.items).toEqual([expect.objectContaining({ zone: 'shop-rc', type: 'image/png' })]);
    const zone = await api.get<{ status: { screenshot?: { artifact: string } } }>(
      '/v1/orgs/acme/products/shop/zones/shop-rc',
    );
    expect(pictures.items[0]?.url).toContain(zone.status.screenshot?.artifact.replace('artifact:', ''));
  });
});
