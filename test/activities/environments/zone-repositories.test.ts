import { expect, it } from 'vitest';
import { listZoneRepositories } from '../../../activities/environments/zone-repositories.ts';
import { ProductKind, type ZoneStatus } from '../../../src/rules/products/kinds.ts';
import { ReleaseKind } from '../../../src/rules/releases/kinds.ts';
import { openTestStore } from '../../support/open-test-store.ts';

const namespace = 'org-acme';

it.each<[string, Partial<ZoneStatus>, string[]]>([
  ['a zone without a Release', {}, ['base/shop']],
  ['a Release that was built before it said where', { release: 'shop-v0.1.0' }, ['base/shop']],
  ['a Release in a registry of the org', { release: 'shop-v0.2.0', imageRepository: 'own/shop' }, ['own/shop']],
  [
    'a Release that replaces another',
    { release: 'shop-v0.2.0', imageRepository: 'next/shop' },
    ['next/shop', 'own/shop'],
  ],
  ['a deleted Release', { release: 'shop-v0.3.0', imageRepository: 'own/shop' }, ['own/shop', 'base/shop']],
])('%s', async (_case, zone, expected) => {
  const store = openTestStore();
  const spec = { repos: [], delivery: { zones: [] } };
  const product = await store.create(ProductKind, { metadata: { namespace, name: 'shop' }, spec });
  for (const [name, imageRepository] of [
    ['shop-v0.1.0', undefined],
    ['shop-v0.2.0', 'own/shop'],
  ] as const) {
    const release = { product: 'shop', repo: 'acme/shop', commit: 'c1', version: 'v0.1.0', startedBy: 'ada' };
    await store.create(ReleaseKind, { metadata: { namespace, name }, spec: release });
    await store.updateStatus(ReleaseKind, { namespace, name }, () => ({
      phase: 'Succeeded' as const,
      zones: [],
      ...(imageRepository !== undefined && { imageRepository }),
    }));
  }
  const found = { ...product, status: { zones: [{ name: 'other' }, { name: 'shop-rc', ...zone }] } };
  expect(await listZoneRepositories(store, found, { zone: 'shop-rc', installation: 'base/shop' })).toEqual(expected);
});
