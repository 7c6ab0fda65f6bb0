import { expect, it } from 'vitest';
import { reconcileProduct } from '../../src/reconcile/reconcile-product.ts';
import { ConfigMapKind } from '../../src/kinds/kubernetes.ts';
import { isReconciled } from '../../src/rules/conditions.ts';
import { environmentsFinalizer, ProductKind, type ProductSpec } from '../../src/rules/products/kinds.ts';
import { zoneReservationName } from '../../src/rules/products/reservations.ts';
import { createReconcileDeps } from './reconcile-fixture.ts';

const ref = { namespace: 'org-acme', name: 'shop' };

async function reconcileSpec(spec: ProductSpec) {
  const fixture = await createReconcileDeps();
  const product = await fixture.store.create(ProductKind, { metadata: ref, spec });
  await reconcileProduct(fixture.deps, product);
  return { ...fixture, created: product, product: await fixture.store.get(ProductKind, ref) };
}

it('adds the default zones, reserves their names and accepts the Product', async () => {
  const { product, store } = await reconcileSpec({ repos: ['acme/shop'], delivery: { zones: [] } } as never);
  expect(product.spec.delivery.zones.length).toBeGreaterThan(0);
  expect(isReconciled(product)).toBe(true);
  expect(product.status?.conditions).toMatchObject([{ type: 'Accepted', status: 'True', observedGeneration: 2 }]);
  expect(product.metadata.finalizers).toContain(environmentsFinalizer);
  const [zone] = product.spec.delivery.zones;
  const reservation = { namespace: 'service-system', name: zoneReservationName(zone?.name ?? '') };
  expect(await store.get(ConfigMapKind, reservation)).toMatchObject({ data: { org: 'acme', product: 'shop' } });
});

it('records the rejection of an invalid Product in its condition', async () => {
  const { product } = await reconcileSpec({ repos: ['acme/shop', 'acme/shop'], delivery: { zones: [] } } as never);
  expect(isReconciled(product)).toBe(false);
  expect(product.status?.conditions?.[0]).toMatchObject({
    status: 'False',
    message: 'The Product "shop" is invalid: /spec/repos/1 is a duplicate.',
  });
});

it('starts the deletion of a Product that is being deleted', async () => {
  const { deps, product, store, calls } = await reconcileSpec({ repos: [], delivery: { zones: [] } } as never);
  await store.delete(ProductKind, ref);
  await reconcileProduct(deps, await store.get(ProductKind, ref));
  expect(product.metadata.deletionTimestamp).toBeUndefined();
  expect((await store.get(ProductKind, ref)).status?.deletionMessage).toBe('its zones are being removed');
  expect(calls).toEqual([{ type: 'deleteProduct', workflowId: 'delete-product/acme/shop', by: 'kubectl' }]);
});

it('starts a deletion that a person requested and that was not started', async () => {
  const { deps, product, store, calls } = await reconcileSpec({ repos: [], delivery: { zones: [] } } as never);
  await store.updateStatus(ProductKind, ref, ({ status }) => ({ ...status, deletionMessage: 'A', deletedBy: 'ada' }));
  await reconcileProduct(deps, await store.get(ProductKind, ref));
  expect(calls).toEqual([{ type: 'deleteProduct', workflowId: 'delete-product/acme/shop', by: 'ada' }]);
  const before = await store.get(ProductKind, ref);
  await reconcileProduct(deps, before);
  expect((await store.get(ProductKind, ref)).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
  expect(product.status?.deletionMessage).toBeUndefined();
});

it('wakes the loops of the SLOs when a deletion starts, so that no alert fires about pods that are deleted', async () => {
  const { deps, store, calls } = await reconcileSpec({ repos: [], delivery: { zones: [] } } as never);
  const observability = { phase: 'Ready' as const, message: 'Ready.', checkedAt: '2026-01-01T00:00:00Z' };
  await store.updateStatus(ProductKind, ref, () => ({ observability, deletionMessage: 'A', deletedBy: 'ada' }));
  await reconcileProduct(deps, await store.get(ProductKind, ref));
  expect(calls.map(({ type }) => type)).toEqual(['deleteProduct', 'reconcileSloRules', 'reconcileIncidents']);
});

it('deletes no Product of the same name that was created since, and none that is gone', async () => {
  const { deps, store, calls } = await reconcileSpec({ repos: [], delivery: { zones: [] } } as never);
  await store.updateStatus(ProductKind, ref, ({ status }) => ({ ...status, deletionMessage: 'by ada' }));
  const deleted = await store.get(ProductKind, ref);
  await store.replace(ProductKind, { ...deleted, metadata: { ...deleted.metadata, finalizers: [] } });
  await store.delete(ProductKind, ref);
  await reconcileProduct(deps, deleted);
  await store.create(ProductKind, { metadata: ref, spec: { repos: [], delivery: { zones: [] } } });
  await reconcileProduct(deps, deleted);
  expect(calls).toEqual([]);
  expect((await store.get(ProductKind, ref)).status).toBeUndefined();
});

it('rejects the Products that exceed the quota of the org, and keeps those that were there before', async () => {
  const { deps, store } = await createReconcileDeps({ productsPerOrg: 1 });
  const create = async (name: string) =>
    await store.create(ProductKind, {
      metadata: { namespace: 'org-acme', name },
      spec: { repos: [], delivery: { zones: [] } },
    });
  // Both names sort as they were created, because creation times have a resolution of one second.
  const [first, second] = [await create('first'), await create('second')];
  await reconcileProduct(deps, second);
  await reconcileProduct(deps, first);
  expect(isReconciled(await store.get(ProductKind, first.metadata))).toBe(true);
  expect((await store.get(ProductKind, second.metadata)).status?.conditions?.[0]).toMatchObject({
    status: 'False',
    message: expect.stringContaining('1 Products (QUOTA_PRODUCTS_PER_ORG)'),
  });
});

const toSpec = (...zones: string[]): ProductSpec => ({
  repos: [],
  delivery: { zones: zones.map((name) => ({ name, promotionPolicy: 'automatic' })) },
});
const zoneReservation = (zone: string) => ({ namespace: 'service-system', name: zoneReservationName(zone) });

it('releases the names of zones that a later spec lacks, and signals those whose settings changed', async () => {
  const { deps, store, product, calls } = await reconcileSpec(toSpec('shop-rc', 'shop-old'));
  const appliedSettings = { hosts: [] } as never;
  await store.updateStatus(ProductKind, ref, ({ status }) => ({
    ...status,
    zones: [{ name: 'shop-rc', appliedSettings }],
  }));
  await store.replace(ProductKind, { ...product, ...(await store.get(ProductKind, ref)), spec: toSpec('shop-rc') });
  await reconcileProduct(deps, await store.get(ProductKind, ref));
  expect(await store.find(ConfigMapKind, zoneReservation('shop-old'))).toBeUndefined();
  expect(await store.find(ConfigMapKind, zoneReservation('shop-rc'))).toBeDefined();
  expect(calls).toEqual([{ type: 'manageZone', workflowId: 'manage-zone/acme/shop/shop-rc', signal: 'applySettings' }]);
});

it('ends when every name that the new spec lacks is free', async () => {
  const { deps, store } = await reconcileSpec(toSpec('shop-rc', 'shop-a', 'shop-b', 'shop-c', 'shop-d'));
  await store.replace(ProductKind, { ...(await store.get(ProductKind, ref)), spec: toSpec('shop-rc') });
  await reconcileProduct(deps, await store.get(ProductKind, ref));
  const { items } = await store.list(ConfigMapKind, { namespace: 'service-system' });
  const zones = items.map(({ metadata }) => metadata.name).filter((name) => name.startsWith(zoneReservationName('')));
  expect(zones).toEqual([zoneReservationName('shop-rc')]);
});

it.each([
  ['runs a Release', { release: 'r-1' }],
  ['has files', { appliedSettings: { hosts: [] } as never }],
])('keeps a zone that %s, and says how to remove it', async (_, facts) => {
  const { deps, store } = await reconcileSpec(toSpec('shop-rc', 'shop-old'));
  await store.updateStatus(ProductKind, ref, ({ status }) => ({ ...status, zones: [{ name: 'shop-old', ...facts }] }));
  await store.replace(ProductKind, { ...(await store.get(ProductKind, ref)), spec: toSpec('shop-rc') });
  await reconcileProduct(deps, await store.get(ProductKind, ref));
  const { status } = await store.get(ProductKind, ref);
  expect(status?.conditions?.[0]).toMatchObject({
    status: 'False',
    message: expect.stringContaining('DELETE /v1/orgs/acme/products/shop/zones/shop-old'),
  });
  expect(await store.find(ConfigMapKind, zoneReservation('shop-old'))).toBeDefined();
});

const removal = { by: 'ada', since: '2026-12-31T00:00:00.000Z', message: 'It goes.', remaining: [] };

it('accepts an edit while a zone that the list lacks is being removed, and keeps its name until then', async () => {
  const { deps, store, calls } = await reconcileSpec(toSpec('shop-rc', 'shop-old'));
  const zone = { name: 'shop-old', release: 'r-1', removal: { ...removal, step: 'files' as const } };
  await store.updateStatus(ProductKind, ref, ({ status }) => ({ ...status, zones: [zone] }));
  await store.replace(ProductKind, { ...(await store.get(ProductKind, ref)), spec: toSpec('shop-rc') });
  await reconcileProduct(deps, await store.get(ProductKind, ref));
  expect((await store.get(ProductKind, ref)).status?.conditions).toMatchObject([{ type: 'Accepted', status: 'True' }]);
  expect(await store.find(ConfigMapKind, zoneReservation('shop-old'))).toBeDefined();
  expect(calls).toEqual([]);
});

it('begins a removal that was requested and not begun, once the list lacks the zone', async () => {
  const { deps, store, calls } = await reconcileSpec(toSpec('shop-rc', 'shop-old'));
  const zones = [{ name: 'shop-old', release: 'r-1', removal }];
  await store.updateStatus(ProductKind, ref, ({ status }) => ({ ...status, zones }));
  await reconcileProduct(deps, await store.get(ProductKind, ref));
  expect(calls).toEqual([]);
  await store.replace(ProductKind, { ...(await store.get(ProductKind, ref)), spec: toSpec('shop-rc') });
  const signal = { type: 'manageZone', workflowId: 'manage-zone/acme/shop/shop-old', signal: 'removeZone' };
  for (const times of [1, 2]) {
    await reconcileProduct(deps, await store.get(ProductKind, ref));
    expect(calls).toEqual(Array.from({ length: times }, () => signal));
  }
});

it('removes a zone from the list that has no files and runs no Release', async () => {
  const { deps, store } = await reconcileSpec(toSpec('shop-rc', 'shop-old'));
  await store.updateStatus(ProductKind, ref, ({ status }) => ({ ...status, zones: [{ name: 'shop-old' }] }));
  await store.replace(ProductKind, { ...(await store.get(ProductKind, ref)), spec: toSpec('shop-rc') });
  await reconcileProduct(deps, await store.get(ProductKind, ref));
  expect((await store.get(ProductKind, ref)).status?.conditions).toMatchObject([{ type: 'Accepted', status: 'True' }]);
  expect(await store.find(ConfigMapKind, zoneReservation('shop-old'))).toBeUndefined();
});

it('reserves nothing for a Product that was deleted in the meantime', async () => {
  const { deps, store } = await createReconcileDeps();
  const product = await store.create(ProductKind, { metadata: ref, spec: toSpec('shop-rc') });
  await store.delete(ProductKind, ref);
  await reconcileProduct(deps, product);
  expect((await store.list(ConfigMapKind, { namespace: 'service-system' })).items).toEqual([]);
});

it('leaves the names of a Product to the spec that is accepted next', async () => {
  const { deps, store } = await createReconcileDeps();
  const outdated = await store.create(ProductKind, { metadata: ref, spec: toSpec('shop-rc') });
  await store.replace(ProductKind, { ...outdated, spec: toSpec('shop-live') });
  await reconcileProduct(deps, outdated);
  expect(await store.find(ConfigMapKind, zoneReservation('shop-rc'))).toBeDefined();
  await reconcileProduct(deps, await store.get(ProductKind, ref));
  expect(await store.find(ConfigMapKind, zoneReservation('shop-rc'))).toBeUndefined();
});

it('leaves a Product alone that changed in the meantime, and tries again when the store fails', async () => {
  const { deps, store, created } = await reconcileSpec(toSpec('shop-rc'));
  const accepted = await store.get(ProductKind, ref);
  await reconcileProduct(deps, { ...created, spec: toSpec('shop-rc', 'shop-other') });
  expect(await store.get(ProductKind, ref)).toEqual(accepted);
  expect(await store.find(ConfigMapKind, zoneReservation('shop-rc'))).toBeDefined();
  expect(await store.find(ConfigMapKind, zoneReservation('shop-other'))).toBeUndefined();
  const replace = async () => {
    throw new Error('The store is unavailable.');
  };
  const changed = await store.replace(ProductKind, { ...accepted, spec: toSpec('shop-rc', 'shop-other') });
  await expect(reconcileProduct({ ...deps, store: { ...store, replace } }, changed)).rejects.toThrow('unavailable');
});

it('applies an accepted spec again when that was interrupted', async () => {
  const { deps, store, calls } = await reconcileSpec(toSpec('shop-rc', 'shop-old'));
  await store.updateStatus(ProductKind, ref, ({ status }) => ({
    ...status,
    zones: [{ name: 'shop-rc', appliedSettings: { hosts: [] } as never }],
  }));
  const changed = await store.replace(ProductKind, { ...(await store.get(ProductKind, ref)), spec: toSpec('shop-rc') });
  const failing = {
    ...store,
    delete: async () => {
      throw new Error('The store is unavailable.');
    },
  };
  await expect(reconcileProduct({ ...deps, store: failing }, changed)).rejects.toThrow('unavailable');
  const readConditions = async () => (await store.get(ProductKind, ref)).status?.conditions;
  expect(await readConditions()).toMatchObject([{ type: 'Accepted', status: 'True', observedGeneration: 1 }]);
  const later = { ...deps, now: () => new Date('2027-01-01T00:01:00Z') };
  await reconcileProduct(later, changed);
  await reconcileProduct(deps, await store.get(ProductKind, ref));
  expect(calls).toEqual([]);
  await reconcileProduct(later, await store.get(ProductKind, ref));
  expect(await readConditions()).toMatchObject([{ type: 'Accepted', status: 'True', observedGeneration: 2 }]);
  expect(await store.find(ConfigMapKind, zoneReservation('shop-old'))).toBeUndefined();
  expect(calls).toMatchObject([{ type: 'manageZone', signal: 'applySettings' }]);
  calls.length = 0;
  await reconcileProduct(later, await store.get(ProductKind, ref));
  expect(calls).toEqual([]);
});

it('starts to create the repo of a Product that came with a template, before it ends', async () => {
  const source = { repo: 'acme/shop', template: 'node-service' };
  const { calls } = await reconcileSpec({ repos: ['acme/shop'], delivery: { zones: [] }, source } as never);
  expect(calls.map(({ type }) => type)).toContain('scaffoldProduct');
});
