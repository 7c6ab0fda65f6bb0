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
  return { ...fixture, product: await fixture.store.get(ProductKind, ref) };
}

it('adds the default zones, reserves their names and accepts the Product', async () => {
  const { product, store } = await reconcileSpec({ repos: ['acme/shop'], delivery: { zones: [] } } as never);
  expect(product.spec.delivery.zones.length).toBeGreaterThan(0);
  expect(isReconciled(product)).toBe(true);
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
  expect(calls).toEqual([{ type: 'deleteProduct', workflowId: 'delete-product/acme/shop' }]);
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
