import { describe, expect, it } from 'vitest';
import { createProductActivities } from '../../../activities/products/product-activities.ts';
import type { Codehost } from '../../../src/integrations/codehost/codehost.ts';
import { directoryBlobs } from '../../../src/integrations/blobs/directory.ts';
import { ConfigMapKind } from '../../../src/kinds/kubernetes.ts';
import { addressReservationLabels } from '../../../src/rules/domains/address-reservations.ts';
import { environmentsFinalizer, ProductKind } from '../../../src/rules/products/kinds.ts';
import { logoKey } from '../../../src/rules/products/logo.ts';
import { productReservationName, zoneReservationName } from '../../../src/rules/products/reservations.ts';
import { systemNamespace } from '../../../src/rules/resource.ts';
import { openTestStore } from '../../support/open-test-store.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';

const namespace = 'org-acme';
const ref = { org: 'acme', product: 'shop' };
const zone = (name: string) => ({ name, addresses: [{ domain: 'example.com', name }] });

async function createHarness() {
  const store = openTestStore();
  const blobs = directoryBlobs(await createScratchFolder());
  await store.create(ProductKind, {
    metadata: { namespace, name: 'shop', finalizers: [environmentsFinalizer] },
    spec: { repos: ['acme/shop'], delivery: { zones: [zone('shop-rc'), zone('shop-prod')] } },
  });
  const activities = createProductActivities({ store, blobs, codehost: {} as Codehost });
  const listReservations = async () =>
    (await store.list(ConfigMapKind, { namespace: systemNamespace })).items.map(({ metadata }) => metadata.name);
  const reserve = async (name: string, data: Record<string, string> = {}) => {
    const labels = data['domain'] === undefined ? {} : addressReservationLabels(data['domain']);
    await store.create(ConfigMapKind, { metadata: { namespace: systemNamespace, name, labels }, data });
  };
  return { store, blobs, activities, reserve, listReservations };
}

describe('deleteProductResources', () => {
  it('deletes what the Product reserved, and nothing of others', async () => {
    const { activities, reserve, listReservations } = await createHarness();
    const address = (name: string, product = 'shop') =>
      reserve(`address-${name}-${product}`, {
        domain: 'example.com',
        host: `${name}.example.com`,
        org: 'acme',
        product,
      });
    for (const name of ['shop', 'other']) await reserve(productReservationName(name));
    for (const name of ['shop-rc', 'old-zone', 'other-rc']) await reserve(zoneReservationName(name));
    await address('shop-rc');
    await address('shop-prod');
    await address('shop-rc', 'other');
    for (let time = 0; time < 2; time += 1)
      await activities.deleteProductResources({ ...ref, zones: ['shop-rc', 'never-reserved', 'old-zone'] });
    expect((await listReservations()).toSorted()).toEqual([
      'address-shop-rc-other',
      productReservationName('other'),
      zoneReservationName('other-rc'),
    ]);
  });

  it('deletes a Product although it waits for its environments', async () => {
    const { activities, store } = await createHarness();
    await activities.deleteProductResources({ ...ref, zones: [] });
    expect(await store.find(ProductKind, { namespace, name: 'shop' })).toBeUndefined();
  });

  it('deletes the logos of the Product only', async () => {
    const { activities, blobs } = await createHarness();
    const keys = ['shop', 'shop2'].map((product) => logoKey({ org: 'acme', product, hash: 'a' }));
    for (const key of keys) await blobs.put(key, Buffer.of(1));
    await activities.deleteProductResources({ ...ref, zones: [] });
    expect(await blobs.list('')).toEqual(keys.slice(1));
  });
});

describe('beginProductDeletion', () => {
  it('returns each zone once, including those that were removed from the spec', async () => {
    const { activities, store } = await createHarness();
    await store.updateStatus(ProductKind, { namespace, name: 'shop' }, () => ({
      deletionMessage: 'by ada',
      zones: [{ name: 'shop-rc' }, { name: 'shop-old' }] as never,
    }));
    expect(await activities.beginProductDeletion(ref)).toEqual(['shop-rc', 'shop-prod', 'shop-old']);
    expect(await activities.beginProductDeletion({ ...ref, product: 'gone' })).toEqual([]);
  });
});
