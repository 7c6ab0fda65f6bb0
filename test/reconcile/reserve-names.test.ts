import { expect, it } from 'vitest';
import { ConfigMapKind } from '../../src/kinds/kubernetes.ts';
import {
  assertNamesFree,
  releaseNames,
  releaseRejectedNames,
  releaseUnusedNames,
  reserveNames,
  reserveProductNames,
} from '../../src/reconcile/reserve-names.ts';
import { acceptedGenerationAnnotation } from '../../src/rules/conditions.ts';
import { DomainKind } from '../../src/rules/domains/kinds.ts';
import { type Product, ProductKind, type ProductSpec, type ZoneSpec } from '../../src/rules/products/kinds.ts';
import { zoneReservationName } from '../../src/rules/products/reservations.ts';
import type { Store } from '../../src/store/store.ts';
import { createReconcileDeps } from './reconcile-fixture.ts';

const buildSpec = (...names: string[]): ProductSpec =>
  ({ repos: [], delivery: { zones: names.map((name) => ({ name })) } }) as never;
const shop = { org: 'acme', product: 'shop' };
const other = { org: 'umbrella', product: 'store' };

/** Stores a spec of the Product, which is accepted unless said otherwise. */
async function saveSpec(store: Store, holder: typeof shop, spec: ProductSpec, isAccepted = true): Promise<Product> {
  const ref = { namespace: `org-${holder.org}`, name: holder.product };
  const existing = await store.find(ProductKind, ref);
  const saved = existing
    ? await store.replace(ProductKind, { ...existing, spec })
    : await store.create(ProductKind, { metadata: ref, spec });
  if (!isAccepted) return saved;
  const annotations = { [acceptedGenerationAnnotation]: String(saved.metadata.generation) };
  return await store.replace(ProductKind, { ...saved, metadata: { ...saved.metadata, annotations } });
}

async function withReservation(holder = shop) {
  const { deps, store } = await createReconcileDeps();
  await reserveProductNames(deps, holder, buildSpec('rc'));
  const find = async (zone: string) =>
    store.find(ConfigMapKind, { namespace: 'service-system', name: zoneReservationName(zone) });
  return { deps, find, store };
}

it('rejects a name that another Product reserved, without naming that Product', async () => {
  const { deps } = await withReservation();
  const rejection = reserveNames(deps, other, buildSpec('rc'));
  await expect(rejection).rejects.toMatchObject({
    reason: 'name-taken',
    message: expect.not.stringMatching(/shop|acme/) as string,
  });
});

it('reserves a name again for its holder', async () => {
  const { deps } = await withReservation();
  await expect(reserveNames(deps, shop, buildSpec('rc'))).resolves.toEqual([]);
});

it('replaces a reservation that was abandoned before its Product was created', async () => {
  const { deps, find } = await withReservation();
  const later = { ...deps, now: () => new Date('2027-01-01T00:11:00Z') };
  await reserveNames(later, other, buildSpec('rc'));
  expect(await find('rc')).toMatchObject({ data: other });
});

it('keeps the names of a repeated request for its Product, however old the reservations of the first one are', async () => {
  const { deps, find } = await withReservation();
  const later = { ...deps, now: () => new Date('2027-01-01T00:11:00Z') };
  await reserveProductNames(later, shop, buildSpec('rc'));
  // The Product is not created yet.
  await expect(reserveNames(later, other, buildSpec('rc'))).rejects.toMatchObject({ reason: 'name-taken' });
  expect(await find('rc')).toMatchObject({ data: shop });
});

it('releases the names that the stored spec does not use', async () => {
  const { deps, find, store } = await withReservation();
  await reserveNames(deps, shop, buildSpec('rc', 'prod'));
  await saveSpec(store, shop, buildSpec('prod'));
  await releaseNames(deps, shop, buildSpec('rc', 'prod'));
  expect([await find('rc'), await find('prod')]).toMatchObject([undefined, { data: shop }]);
  await saveSpec(store, shop, buildSpec());
  await releaseNames(deps, shop, buildSpec('rc'));
  expect(await find('prod')).toBeDefined();
  await releaseUnusedNames(deps, shop);
  expect(await find('prod')).toBeUndefined();
});

it('keeps the names of a spec that another request has stored meanwhile, or that is still to be accepted', async () => {
  const { deps, find, store } = await withReservation();
  await saveSpec(store, shop, buildSpec('rc'));
  await releaseNames(deps, shop, buildSpec('rc'));
  await releaseRejectedNames(deps, shop, [{ name: zoneReservationName('rc') }]);
  await releaseUnusedNames(deps, shop);
  await saveSpec(store, shop, buildSpec('prod'), false);
  await releaseUnusedNames(deps, shop);
  expect(await find('rc')).toMatchObject({ data: shop });
});

it('keeps the names of a zone that is being removed', async () => {
  const { deps, find, store, listAddresses } = await withDomain();
  await reserveNames(deps, shop, withAddresses(zone('rc', own)));
  const { metadata } = await saveSpec(store, shop, buildSpec());
  const removal = { by: 'jo', since: '2027-01-01T00:00:00Z', message: 'its app is being removed', remaining: [] };
  await store.updateStatus(ProductKind, metadata, () => ({ zones: [{ name: 'rc', removal }] }));
  await releaseUnusedNames(deps, shop);
  expect(await find('rc')).toBeDefined();
  expect(await listAddresses()).toEqual(['www.own.example rc']);
});

it('releases what it has reserved when another name is taken', async () => {
  const { deps, find, store } = await withReservation();
  await saveSpec(store, other, buildSpec());
  await expect(reserveNames(deps, other, buildSpec('demo', 'rc'))).rejects.toThrow('The zone name "rc" is taken');
  expect([await find('demo'), await find('rc')]).toMatchObject([undefined, { data: shop }]);
});

it.each([other, { org: 'acme', product: 'store' }, { org: 'umbrella', product: 'shop' }])(
  'keeps the names of other holders when those of %j are released',
  async (holder) => {
    const { deps, find, store } = await withReservation();
    const settings = { namespace: 'service-system', name: 'settings' };
    await store.create(ConfigMapKind, { metadata: settings, data: {} });
    await reserveNames(deps, holder, buildSpec('unused'));
    await saveSpec(store, holder, buildSpec());
    await releaseUnusedNames(deps, holder);
    expect([await find('unused'), await find('rc')]).toMatchObject([undefined, { data: shop }]);
    expect(await store.find(ConfigMapKind, settings)).toBeDefined();
  },
);

const own = { domain: 'own.example', name: 'www' };
const platformAddress = { domain: 'apps.example.net', name: 'shop' };
const withAddresses = (...zones: ZoneSpec[]): ProductSpec => ({ repos: [], delivery: { zones } });
const zone = (name: string, ...addresses: NonNullable<ZoneSpec['addresses']>): ZoneSpec => ({
  name,
  promotionPolicy: 'automatic',
  addresses,
});

async function withDomain(status: object = {}) {
  const { deps, store } = await createReconcileDeps();
  const { metadata } = await store.create(DomainKind, {
    metadata: { namespace: 'org-acme', name: own.domain },
    spec: { name: own.domain, kind: 'external', shared: false, token: 't' },
  });
  const claimedAt = '2027-01-01T00:00:00Z';
  await store.updateStatus(DomainKind, metadata, () => ({ state: 'Verified' as const, claimedAt, ...status }));
  const listAddresses = async () =>
    (await store.list(ConfigMapKind, { namespace: 'service-system' })).items
      .filter(({ data }) => data?.['host'] !== undefined)
      .map(({ data }) => `${data?.['host']} ${data?.['zone']}`);
  const find = async (name: string) =>
    await store.find(ConfigMapKind, { namespace: 'service-system', name: zoneReservationName(name) });
  return { deps, store, find, listAddresses };
}

it('reserves the addresses of zones, moves them with the stored spec, and releases those that are gone', async () => {
  const { deps, store, listAddresses } = await withDomain();
  const first = withAddresses(zone('rc', own, platformAddress), zone('prod'));
  await reserveNames(deps, shop, first);
  expect(await listAddresses()).toEqual(['www.own.example rc', 'shop.apps.example.net rc']);
  await expect(reserveNames(deps, other, withAddresses(zone('a', platformAddress)))).rejects.toMatchObject({
    errors: [{ pointer: '/spec/delivery/zones/0/addresses/0' }],
  });
  const moved = withAddresses(zone('rc', platformAddress), zone('prod', own));
  await reserveNames(deps, shop, moved);
  expect(await listAddresses()).toEqual(['www.own.example rc', 'shop.apps.example.net rc']);
  await saveSpec(store, shop, moved);
  await releaseNames(deps, shop, first);
  expect(await listAddresses()).toEqual(['www.own.example prod', 'shop.apps.example.net rc']);
  await saveSpec(store, shop, withAddresses(zone('rc'), zone('prod', own)));
  await releaseNames(deps, shop, moved);
  expect(await listAddresses()).toEqual(['www.own.example prod']);
  await saveSpec(store, shop, withAddresses(zone('prod')));
  await releaseUnusedNames(deps, shop);
  expect(await listAddresses()).toEqual([]);
});

it.each([{ state: 'Failed' }, { removalMessage: 'its records are being removed' }])(
  'keeps no reservation under a domain that is no longer usable: %j',
  async (status) => {
    const { deps, listAddresses } = await withDomain(status);
    await expect(reserveNames(deps, shop, withAddresses(zone('rc', platformAddress, own)))).rejects.toMatchObject({
      reason: 'domain-unusable',
      message: expect.stringContaining('"own.example"'),
    });
    expect(await listAddresses()).toEqual([]);
  },
);

it('keeps an old reservation whose Product exists, and a young one without a Product', async () => {
  const { deps, find, store } = await withReservation();
  await expect(reserveNames(deps, other, buildSpec('rc'))).rejects.toThrow('The zone name "rc" is taken');
  const almost = { ...deps, now: () => new Date('2027-01-01T00:09:00Z') };
  await expect(reserveNames(almost, other, buildSpec('rc'))).rejects.toThrow('is taken');
  await store.create(ProductKind, { metadata: { namespace: 'org-acme', name: 'shop' }, spec: buildSpec('rc') });
  const later = { ...deps, now: () => new Date('2027-01-02T00:00:00Z') };
  await expect(reserveNames(later, other, buildSpec('rc'))).rejects.toThrow('is taken');
  await expect(reserveProductNames(later, { org: 'umbrella', product: 'shop' }, buildSpec('a'))).rejects.toThrow(
    'The Product name "shop" is taken',
  );
  expect(await find('rc')).toMatchObject({ data: shop });
});

it('releases the names of a Product that is gone, and those that are free already', async () => {
  const { deps, find } = await withReservation();
  await releaseUnusedNames(deps, shop);
  expect(await find('rc')).toBeDefined();
  await releaseRejectedNames(deps, shop, [{ name: zoneReservationName('rc') }, { name: zoneReservationName('never') }]);
  expect(await find('rc')).toBeUndefined();
});

it('reserves each repo for one Product of an org, in any letters, until its spec omits it', async () => {
  const { deps, store } = await createReconcileDeps();
  const withRepo = (...repos: string[]): ProductSpec => ({ ...buildSpec(), repos });
  const neighbour = { org: 'acme', product: 'store' };
  await reserveProductNames(deps, shop, withRepo('acme/shop'));
  await expect(reserveProductNames(deps, neighbour, withRepo('acme/lib', 'Acme/Shop'))).rejects.toMatchObject({
    reason: 'name-taken',
    message: 'The repo "Acme/Shop" belongs to another Product of the org. Choose another.',
    errors: [{ pointer: '/spec/repos/1', detail: 'belongs to another Product of the org' }],
  });
  await reserveProductNames(deps, other, withRepo('acme/shop', 'acme/lib'));
  await saveSpec(store, shop, withRepo('acme/app'));
  await releaseNames(deps, shop, withRepo('acme/shop', 'acme/app'));
  await expect(reserveNames(deps, neighbour, withRepo('acme/shop'))).resolves.toHaveLength(1);
  await expect(assertNamesFree(deps, shop, withRepo('acme/shop'))).rejects.toThrow('belongs to another Product');
});
