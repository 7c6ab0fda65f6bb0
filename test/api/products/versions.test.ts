import { describe, expect, it } from 'vitest';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { ReleaseKind } from '../../../src/rules/releases/kinds.ts';
import { startApi } from '../../support/start-api.ts';

describe('listVersions', () => {
  it('200: returns tagged versions, newest first, with the zones that run them', async () => {
    const { request, store } = await startApi();
    await request('/v1/orgs/acme/products', { method: 'POST', body: { name: 'shop', spec: { repos: ['acme/shop'] } } });
    const release = async (version: string, taggedAt?: string) => {
      const ref = { namespace: 'org-acme', name: `shop-${version}` };
      await store.create(ReleaseKind, {
        metadata: ref,
        spec: { product: 'shop', repo: 'acme/shop', commit: 'c', version, run: 'change-shop-7', startedBy: 'jo' },
      });
      await store.updateStatus(ReleaseKind, ref, () => ({
        phase: 'Promoting' as const,
        zones: [],
        ...(taggedAt !== undefined && {
          taggedAt,
          url: `https://codehost.example/${version}`,
          digest: `sha256:${version}`,
        }),
      }));
    };
    await release('v1.9.0', '2027-01-01T00:00:00Z');
    await release('v1.10.0', '2027-01-02T00:00:00Z');
    await release('v1.11.0');
    await store.updateStatus(ProductKind, { namespace: 'org-acme', name: 'shop' }, () => ({
      zones: [{ name: 'shop-rc', release: 'shop-v1.10.0' }],
    }));
    const first = (await (await request('/v1/orgs/acme/products/shop/versions?limit=1')).json()) as {
      items: object[];
      continue: string;
    };
    expect(first.items).toMatchObject([
      {
        version: 'v1.10.0',
        release: 'shop-v1.10.0',
        zones: ['shop-rc'],
        url: 'https://codehost.example/v1.10.0',
        digest: 'sha256:v1.10.0',
        run: 'change-shop-7',
      },
    ]);
    const second = (await (
      await request(`/v1/orgs/acme/products/shop/versions?continue=${first.continue}`)
    ).json()) as {
      items: object[];
    };
    expect(second.items).toMatchObject([{ version: 'v1.9.0', zones: [] }]);
  });

  it('200: orders the versions as numbers, and shows only what is known of them', async () => {
    const { request, store } = await startApi();
    await request('/v1/orgs/acme/products', { method: 'POST', body: { name: 'shop', spec: { repos: ['acme/shop'] } } });
    for (const version of ['v10.0.0', 'v2.0.0', 'v9.1.0']) {
      const ref = { namespace: 'org-acme', name: `shop-${version}` };
      const spec = { product: 'shop', repo: 'acme/shop', commit: 'c', version, startedBy: 'jo' };
      await store.create(ReleaseKind, { metadata: ref, spec });
      const taggedAt = '2027-01-01T00:00:00Z';
      await store.updateStatus(ReleaseKind, ref, () => ({ phase: 'Promoting' as const, zones: [], taggedAt }));
    }
    const { items } = (await (await request('/v1/orgs/acme/products/shop/versions')).json()) as {
      items: { version: string }[];
    };
    expect(items.map(({ version }) => version)).toEqual(['v10.0.0', 'v9.1.0', 'v2.0.0']);
    expect(Object.keys(items[0] ?? {}).toSorted()).toEqual(['commit', 'release', 'taggedAt', 'version', 'zones']);
  });
});
