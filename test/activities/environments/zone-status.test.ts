import { describe, expect, it } from 'vitest';
import {
  isZoneDeployed,
  isZoneDesired,
  isZoneKnown,
  recordZoneStatus,
} from '../../../activities/environments/zone-status.ts';
import { type Product, ProductKind } from '../../../src/rules/products/kinds.ts';
import { openTestStore } from '../../support/open-test-store.ts';

const product = { namespace: 'org-acme', name: 'shop' };
const inSpec = { org: 'acme', product: 'shop', zone: 'shop-prod' };
const inStatus = { ...inSpec, zone: 'shop-old' };
const nowhere = { ...inSpec, zone: 'shop-rc' };

/** Stores a Product with one zone in its spec and another one, which was removed from it, in its status. */
async function createProduct(status: Partial<NonNullable<Product['status']>> = {}, finalizers: string[] = []) {
  const store = openTestStore();
  const zones = [{ name: inSpec.zone, promotionPolicy: 'automatic' as const }];
  await store.create(ProductKind, {
    metadata: { ...product, finalizers },
    spec: { repos: ['acme/shop'], delivery: { zones } },
  });
  await store.updateStatus(ProductKind, product, () => ({
    zones: [{ name: inStatus.zone, version: 'v0.1.0' }],
    ...status,
  }));
  const readZones = async () => (await store.get(ProductKind, product)).status?.zones;
  return { store, readZones };
}

describe('isZoneDesired', () => {
  it('is true only for a zone in the spec', async () => {
    const { store } = await createProduct();
    expect(await isZoneDesired(store, inSpec)).toBe(true);
    expect(await isZoneDesired(store, inStatus)).toBe(false);
    expect(await isZoneDesired(store, nowhere)).toBe(false);
    expect(await isZoneDesired(store, { ...inSpec, product: 'gone' })).toBe(false);
  });

  it('is false once the deletion of the Product has begun, through the API or with kubectl', async () => {
    const requested = await createProduct({ deletionMessage: 'removing its zones' });
    expect(await isZoneDesired(requested.store, inSpec)).toBe(false);
    const deleted = await createProduct({}, ['example.com/keep']);
    await deleted.store.delete(ProductKind, product);
    expect(await isZoneDesired(deleted.store, inSpec)).toBe(false);
  });
});

describe('isZoneKnown', () => {
  it('is true for a zone in the spec or in the status', async () => {
    const { store } = await createProduct();
    expect(await isZoneKnown(store, inSpec)).toBe(true);
    expect(await isZoneKnown(store, inStatus)).toBe(true);
    expect(await isZoneKnown(store, nowhere)).toBe(false);
    expect(await isZoneKnown(store, { ...inSpec, product: 'gone' })).toBe(false);
  });
});

describe('isZoneDeployed', () => {
  it('is true once the zone has a Release or the image of its first promotion', async () => {
    const { store } = await createProduct();
    expect(await isZoneDeployed(store, inSpec)).toBe(false);
    await recordZoneStatus(store, inSpec, { imageRepository: 'registry/shop' });
    expect(await isZoneDeployed(store, inSpec)).toBe(true);
    expect(await isZoneDeployed(store, inStatus)).toBe(false);
    await recordZoneStatus(store, inStatus, { release: 'shop-v0.1.0' });
    expect(await isZoneDeployed(store, inStatus)).toBe(true);
    expect(await isZoneDeployed(store, nowhere)).toBe(false);
  });
});

describe('recordZoneStatus', () => {
  it('changes the fields of the patch only, and removes those that are null', async () => {
    const { store, readZones } = await createProduct();
    await recordZoneStatus(store, inSpec, { version: 'v0.2.0', release: 'shop-v0.2.0' });
    await recordZoneStatus(store, inSpec, { release: null });
    await recordZoneStatus(store, inStatus, { release: 'shop-v0.1.0' });
    expect(await readZones()).toEqual([
      { name: inSpec.zone, version: 'v0.2.0' },
      { name: inStatus.zone, version: 'v0.1.0', release: 'shop-v0.1.0' },
    ]);
  });

  it('records nothing about a zone that is gone', async () => {
    const { store, readZones } = await createProduct();
    await recordZoneStatus(store, nowhere, { version: 'v0.2.0' });
    await recordZoneStatus(store, { ...inSpec, product: 'gone' }, { version: 'v0.2.0' });
    expect(await readZones()).toEqual([{ name: inStatus.zone, version: 'v0.1.0' }]);
  });
});
