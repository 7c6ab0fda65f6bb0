import { expect, it, onTestFinished } from 'vitest';
import { NamespaceKind } from '../../src/kinds/kubernetes.ts';
import { zoneNamespaceLabels } from '../../src/rules/environments/zone-namespace.ts';
import { ProductKind } from '../../src/rules/products/kinds.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { getZoneNamespaceState } from '../../src/store/zone-namespace.ts';

it('tells apart the namespace of a zone, a missing one and that of another owner', async () => {
  const store = openSqliteStore({ file: ':memory:' });
  onTestFinished(async () => await store.close());
  const ref = { org: 'acme', product: 'shop', zone: 'shop-rc' };
  const readState = async () => await getZoneNamespaceState(store, ref);
  const namespace = { namespace: '', name: 'shop-rc' };
  expect(await readState()).toBe('missing');

  await store.create(NamespaceKind, { metadata: namespace });
  expect(await readState()).toBe('foreign');
  await store.delete(NamespaceKind, namespace);

  const product = await store.create(ProductKind, {
    metadata: { namespace: 'org-acme', name: 'shop' },
    spec: { repos: [], delivery: { zones: [] } },
  });
  await store.create(NamespaceKind, {
    metadata: { ...namespace, labels: zoneNamespaceLabels({ ...ref, uid: product.metadata.uid }) },
  });
  expect(await readState()).toBe('own');

  // A later Product of the same name is another owner.
  await store.delete(ProductKind, { namespace: 'org-acme', name: 'shop' });
  expect(await readState()).toBe('foreign');
});
