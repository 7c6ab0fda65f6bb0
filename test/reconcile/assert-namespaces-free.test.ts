import { expect, it } from 'vitest';
import { NamespaceKind } from '../../src/kinds/kubernetes.ts';
import { assertNamespacesFree } from '../../src/reconcile/assert-namespaces-free.ts';
import { zoneNamespaceLabels } from '../../src/rules/environments/zone-namespace.ts';
import { ProductKind, type ZoneSpec } from '../../src/rules/products/kinds.ts';
import { openTestStore } from '../support/open-test-store.ts';

const holder = { org: 'acme', product: 'shop' };
const toSpec = (...zones: Partial<ZoneSpec>[]) => ({
  repos: [],
  delivery: { zones: zones.map((zone) => ({ name: 'shop-rc', promotionPolicy: 'automatic' as const, ...zone })) },
});

function createStore() {
  const store = openTestStore();
  return store;
}

it('refuses zones that are named like existing namespaces, and names the field', async () => {
  const store = createStore();
  for (const name of ['argocd', 'monitoring']) await store.create(NamespaceKind, { metadata: { namespace: '', name } });
  await expect(assertNamespacesFree(store, holder, toSpec({}))).resolves.toBeUndefined();
  await expect(assertNamespacesFree(store, holder, toSpec({}, { name: 'monitoring' }))).rejects.toMatchObject({
    reason: 'namespace-taken',
    errors: [{ pointer: '/spec/delivery/zones/1/name' }],
  });
  await expect(assertNamespacesFree(store, holder, toSpec({ name: 'argocd' }))).rejects.toThrow(/does not belong/);
});

it('accepts the namespaces that the zones of the Product already have, but not those of an earlier Product', async () => {
  const store = createStore();
  const namespace = { namespace: '', name: 'shop-rc' };
  const spec = toSpec({});
  const product = await store.create(ProductKind, { metadata: { namespace: 'org-acme', name: 'shop' }, spec });
  const labels = zoneNamespaceLabels({ ...holder, zone: 'shop-rc', uid: product.metadata.uid });
  await store.create(NamespaceKind, { metadata: { ...namespace, labels } });
  await expect(assertNamespacesFree(store, holder, spec)).resolves.toBeUndefined();
  await store.delete(ProductKind, product.metadata);
  await expect(assertNamespacesFree(store, holder, spec)).rejects.toMatchObject({ reason: 'namespace-taken' });
});

it('cannot look into workload clusters', async () => {
  const store = createStore();
  await store.create(NamespaceKind, { metadata: { namespace: '', name: 'shop-rc' } });
  await expect(assertNamespacesFree(store, holder, toSpec({ cluster: 'apart' }))).resolves.toBeUndefined();
});
