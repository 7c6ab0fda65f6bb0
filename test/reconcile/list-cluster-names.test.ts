import { expect, it } from 'vitest';
import { listClusterNames } from '../../src/reconcile/list-cluster-names.ts';
import { ClusterKind } from '../../src/rules/clusters/kinds.ts';
import { createReconcileDeps } from './reconcile-fixture.ts';

it('offers zones no cluster that is being deleted', async () => {
  const { deps, store } = await createReconcileDeps();
  const toMetadata = (name: string) => ({ namespace: 'service-system', name, finalizers: ['example.com/cleanup'] });
  for (const name of ['near', 'far']) await store.create(ClusterKind, { metadata: toMetadata(name), spec: {} });
  expect(await listClusterNames(deps)).toEqual(['apart', 'far', 'near']);
  await store.delete(ClusterKind, toMetadata('far'));
  expect(await store.find(ClusterKind, toMetadata('far'))).toBeDefined();
  expect(await listClusterNames(deps)).toEqual(['apart', 'near']);
});
