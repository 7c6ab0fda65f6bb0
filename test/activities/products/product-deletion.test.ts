import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createProductActivities } from '../../../activities/products/product-activities.ts';
import type { Codehost } from '../../../src/integrations/codehost/codehost.ts';
import type { Blobs } from '../../../src/integrations/blobs/blobs.ts';
import { directoryBlobs } from '../../../src/integrations/blobs/directory.ts';
import { ConfigMapKind } from '../../../src/kinds/kubernetes.ts';
import { AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import { addressReservationLabels } from '../../../src/rules/domains/address-reservations.ts';
import { environmentsFinalizer, ProductKind } from '../../../src/rules/products/kinds.ts';
import { logoKey } from '../../../src/rules/products/logo.ts';
import { repoReservationName } from '../../../src/rules/products/repo-reservation-name.ts';
import { productReservationName, zoneReservationName } from '../../../src/rules/products/reservations.ts';
import { systemNamespace } from '../../../src/rules/resource.ts';
import type { Store } from '../../../src/store/store.ts';
import { openTestStore } from '../../support/open-test-store.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';

const namespace = 'org-acme';
const ref = { org: 'acme', product: 'shop' };
const run = { namespace, name: 'change-shop-1' };
const createRun = async (store: Store) => {
  const spec = { agentWorkflow: 'change', product: 'shop', startedBy: 'jo', steps: [], roles: {} };
  await store.create(AgentWorkflowRunKind, { metadata: run, spec });
};
const zone = (name: string) => ({ name, addresses: [{ domain: 'example.com', name }] });

async function createHarness({ workTimeoutMs = 600_000 } = {}) {
  const store = openTestStore();
  const blobs = directoryBlobs(await createScratchFolder());
  await store.create(ProductKind, {
    metadata: { namespace, name: 'shop', finalizers: [environmentsFinalizer] },
    spec: { repos: ['acme/shop'], delivery: { zones: [zone('shop-rc'), zone('shop-prod')] } },
  });
  await store.updateStatus(ProductKind, { namespace, name: 'shop' }, () => ({ deletionMessage: 'by ada' }));
  const activities = createProductActivities({ store, blobs, codehost: {} as Codehost, workTimeoutMs });
  const listReservations = async () =>
    (await store.list(ConfigMapKind, { namespace: systemNamespace })).items.map(({ metadata }) => metadata.name);
  const reserve = async (name: string, more: Record<string, string> = {}) => {
    const data = { ...ref, ...more };
    const labels = more['domain'] === undefined ? {} : addressReservationLabels(more['domain']);
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
    for (const repo of ['acme/shop', 'acme/other']) await reserve(repoReservationName('acme', repo));
    await address('shop-rc');
    await address('shop-prod');
    await address('shop-rc', 'other');
    for (let time = 0; time < 2; time += 1)
      await activities.deleteProductResources({ ...ref, zones: ['shop-rc', 'never-reserved', 'old-zone'] });
    expect((await listReservations()).toSorted()).toEqual([
      'address-shop-rc-other',
      productReservationName('other'),
      repoReservationName('acme', 'acme/other'),
      zoneReservationName('other-rc'),
    ]);
  });

  it('leaves the reservations that another Product has taken meanwhile', async () => {
    const { activities, reserve, listReservations } = await createHarness();
    await reserve(productReservationName('shop'), { org: 'other' });
    await reserve(zoneReservationName('shop-rc'), { product: 'store' });
    await activities.deleteProductResources({ ...ref, zones: ['shop-rc'] });
    expect(await listReservations()).toHaveLength(2);
  });

  it('deletes nothing of a Product of the same name that was created since', async () => {
    const { activities, store, blobs, reserve, listReservations } = await createHarness();
    await activities.deleteProductResources({ ...ref, zones: ['shop-rc'] });
    const metadata = { namespace, name: 'shop', finalizers: [environmentsFinalizer] };
    await store.create(ProductKind, { metadata, spec: { repos: [], delivery: { zones: [] } } });
    await reserve(productReservationName('shop'));
    await reserve(zoneReservationName('shop-rc'));
    await blobs.put(logoKey({ org: 'acme', product: 'shop', hash: 'a' }), Buffer.of(1));
    await activities.deleteProductResources({ ...ref, zones: ['shop-rc'] });
    expect(await store.get(ProductKind, metadata)).not.toHaveProperty('metadata.deletionTimestamp');
    expect(await listReservations()).toHaveLength(2);
    expect(await blobs.list('')).toHaveLength(1);
  });

  it('deletes nothing of a Product that took the name while an attempt that timed out still deletes blobs', async () => {
    const { activities, store, blobs, reserve, listReservations } = await createHarness();
    const metadata = { namespace, name: 'shop', finalizers: [environmentsFinalizer] };
    await createRun(store);
    let isFirst = true;
    const deletePrefix: Blobs['deletePrefix'] = async (prefix) => {
      await blobs.deletePrefix(prefix);
      if (!isFirst) return;
      isFirst = false;
      await activities.deleteProductResources({ ...ref, zones: ['shop-rc'] });
      await store.create(ProductKind, { metadata, spec: { repos: ['acme/shop'], delivery: { zones: [] } } });
      for (const name of [productReservationName('shop'), zoneReservationName('shop-rc')]) await reserve(name);
      await blobs.put(logoKey({ org: 'acme', product: 'shop', hash: 'a' }), Buffer.of(1));
    };
    const slow = createProductActivities({ store, blobs: { ...blobs, deletePrefix }, codehost: {} as Codehost });
    await slow.deleteProductResources({ ...ref, zones: ['shop-rc'] });
    expect(await store.get(ProductKind, metadata)).not.toHaveProperty('metadata.deletionTimestamp');
    expect(await listReservations()).toHaveLength(2);
    expect(await blobs.list('')).toHaveLength(1);
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

describe('waitForProductWork', () => {
  const startRun = async (store: Store) => {
    await createRun(store);
    await store.updateStatus(ProductKind, { namespace, name: 'shop' }, () => ({ deletionMessage: 'by ada' }));
  };
  const readMessage = async (store: Store) =>
    (await store.get(ProductKind, { namespace, name: 'shop' })).status?.deletionMessage;

  it('says which runs and Releases do not stop, until they have', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const { store, activities } = await createHarness();
    await startRun(store);
    expect(await activities.listProductWork(ref)).toHaveLength(1);
    const waiting = new MockActivityEnvironment().run(activities.waitForProductWork, ref);
    vi.setSystemTime(Date.now() + 6_000);
    await expect.poll(() => readMessage(store)).toBe('these are being cancelled: change-shop-1');
    await store.updateStatus(AgentWorkflowRunKind, run, () => ({ phase: 'Cancelled', steps: [] }) as never);
    await waiting;
    expect(await readMessage(store)).toBe('its zones are being removed');
    expect(await activities.listProductWork(ref)).toEqual([]);
  });

  it('does not wait forever for a run that cannot stop', async () => {
    const { store, activities } = await createHarness({ workTimeoutMs: 0 });
    await startRun(store);
    await new MockActivityEnvironment().run(activities.waitForProductWork, ref);
    expect(await readMessage(store)).toBe('its zones are being removed');
  });
});
