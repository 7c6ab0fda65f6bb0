import { expect, it } from 'vitest';
import { listClusterNames } from '../../src/reconcile/list-cluster-names.ts';
import { reconcileCluster } from '../../src/reconcile/reconcile-cluster.ts';
import { type ClusterSpec, ClusterKind } from '../../src/rules/clusters/kinds.ts';
import { createReconcileDeps } from './reconcile-fixture.ts';

it('accepts a cluster, says what is wrong with another, and offers only accepted ones to zones', async () => {
  const { deps, store } = await createReconcileDeps();
  const apply = async (name: string, spec: ClusterSpec) => {
    const metadata = { namespace: 'service-system', name };
    await reconcileCluster(deps, await store.create(ClusterKind, { metadata, spec }));
    return (await store.get(ClusterKind, metadata)).status?.conditions?.[0];
  };
  expect(await apply('far', { prometheusUrl: 'https://prometheus.example.com' })).toMatchObject({ status: 'True' });
  expect(await apply('bad', { prometheusUrl: 'https://a:b@prometheus.example.com' })).toMatchObject({
    status: 'False',
    message: expect.stringContaining('/spec/prometheusUrl must have no user, query or fragment') as string,
  });
  expect(await apply('f.ar', {})).toMatchObject({ status: 'False' });
  expect(await listClusterNames(deps)).toEqual(['apart', 'far']);
});
