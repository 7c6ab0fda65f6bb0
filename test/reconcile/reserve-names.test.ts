import { expect, it } from 'vitest';
import { ConfigMapKind } from '../../src/kinds/kubernetes.ts';
import {
  releaseNames,
  releaseUnusedNames,
  reserveNames,
  reserveProductNames,
} from '../../src/reconcile/reserve-names.ts';
import { DomainKind } from '../../src/rules/domains/kinds.ts';
import { ProductKind, type ProductSpec, type ZoneSpec } from '../../src/rules/products/kinds.ts';
import { zoneReservationName } from '../../src/rules/products/reservations.ts';
import { createReconcileDeps } from './reconcile-fixture.ts';

const buildSpec = (...names: string[]): ProductSpec =>
  ({ repos: [], delivery: { zones: names.map((name) => ({ name })) } }) as never;
const shop = { org: 'acme', product: 'shop' };
const other = { org: 'umbrella', product: 'store' };

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

it('releases the names that the new spec does not use', async () => {
  const { deps, find } = await withReservation();
  await reserveNames(deps, shop, buildSpec('rc', 'prod'));
  await releaseNames(deps, shop, { before: buildSpec('rc', 'prod'), after: buildSpec('prod') });
  expect([await find('rc'), await find('prod')]).toMatchObject([undefined, { data: shop }]);
  await releaseUnusedNames(deps, shop, buildSpec());
  expect(await find('prod')).toBeUndefined();
});

it.each([other, { org: 'acme', product: 'store' }, { org: 'umbrella', product: 'shop' }])(
  'keeps the names of other holders when those of %j are released',
  async (holder) => {
    const { deps, find, store } = await withReservation();
    const settings = { namespace: 'service-system', name: 'settings' };
    await store.create(ConfigMapKind, { metadata: settings, data: {} });
    await reserveNames(deps, holder, buildSpec('unused'));
    await releaseUnusedNames(deps, holder, buildSpec());
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
  return { deps, store, listAddresses };
}

it('reserves the addresses of zones, moves them between zones, and releases those that are gone', async () => {
  const { deps, listAddresses } = await withDomain();
  const first = withAddresses(zone('rc', own, platformAddress), zone('prod'));
  await reserveNames(deps, shop, first);
  expect(await listAddresses()).toEqual(['www.own.example rc', 'shop.apps.example.net rc']);
  await expect(reserveNames(deps, other, withAddresses(zone('a', platformAddress)))).rejects.toMatchObject({
    errors: [{ pointer: '/spec/delivery/zones/0/addresses/0' }],
  });
  const moved = withAddresses(zone('rc', platformAddress), zone('prod', own));
  await reserveNames(deps, shop, moved);
  await releaseNames(deps, shop, { before: first, after: moved });
  expect(await listAddresses()).toEqual(['www.own.example prod', 'shop.apps.example.net rc']);
  await releaseNames(deps, shop, { before: moved, after: withAddresses(zone('rc'), zone('prod', own)) });
  expect(await listAddresses()).toEqual(['www.own.example prod']);
  await releaseUnusedNames(deps, shop, withAddresses(zone('prod')));
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

it('releases a name that is already free', async () => {
  const { deps } = await withReservation();
  const released = releaseNames(deps, shop, { before: buildSpec('never', 'rc'), after: buildSpec() });
  await expect(released).resolves.toBeUndefined();
});
