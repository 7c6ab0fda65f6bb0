import { expect, it } from 'vitest';
import { CoreV1EventKind, NamespaceKind, PersistentVolumeClaimKind, PodKind } from '../../../src/kinds/kubernetes.ts';
import { ProductKind, type ZoneSpec, type ZoneStatus } from '../../../src/rules/products/kinds.ts';
import { ServiceError } from '../../../src/errors.ts';
import type { ZoneCluster } from '../../../src/integrations/telemetry/zone-cluster.ts';
import { type ApiHarness, startApi } from '../../support/start-api.ts';
import { buildWorkloadClusters } from '../../support/workload-clusters.ts';

type Details = { notRunningReason?: string; resources: { replicas: number } };
const currentPromotion = { release: 'shop-v1.0.0', version: 'v1.0.0', phase: 'Deploying' as const };

async function createShop({ request }: ApiHarness, zones: Partial<ZoneSpec>[]): Promise<void> {
  const body = { name: 'shop', spec: { repos: [], delivery: { zones } } };
  expect((await request('/v1/orgs/acme/products', { method: 'POST', body })).status).toBe(201);
}

async function readZone<T>({ request }: ApiHarness, zone: string): Promise<T> {
  return (await (await request(`/v1/orgs/acme/products/shop/zones/${zone}`)).json()) as T;
}

it('200: shows nothing of a namespace that is not the zone’s own, and says that its name is taken', async () => {
  const api = await startApi({ role: 'org-admin' });
  await createShop(api, [{ name: 'argocd-2' }]);
  const metadata = { namespace: 'argocd-2', name: 'theirs' };
  await api.store.create(NamespaceKind, { metadata: { namespace: '', name: 'argocd-2' } });
  await api.store.create(PodKind, { metadata, spec: { containers: [{ name: 'app' }] } });
  await api.store.create(PersistentVolumeClaimKind, { metadata, spec: { accessModes: ['ReadWriteOnce'] } });
  await api.store.create(CoreV1EventKind, { metadata, reason: 'Started', involvedObject: { name: 'theirs' } });
  expect(await readZone(api, 'argocd-2')).toMatchObject({
    pods: [],
    volumes: [],
    events: [],
    notRunningReason: expect.stringContaining('a namespace "argocd-2" that does not belong to this zone'),
  });
});

it('200: explains why a zone with a Release runs no pods', async () => {
  const api = await startApi({ role: 'org-admin' });
  await createShop(api, [
    { name: 'shop-rc', replicas: 3 },
    { name: 'shop-off', replicas: 0 },
    { name: 'shop-far', cluster: 'apart' },
  ]);
  const runtime = { ingress: { hosts: [], access: 'public' as const }, resources: {}, persistence: [] };
  const appliedSettings = { replicas: 0, strategy: 'RollingUpdate' as const, ...runtime };
  expect((await readZone<Details>(api, 'shop-rc')).resources.replicas).toBe(3);
  for (const [status, reason] of [
    [{ name: 'shop-rc', currentPromotion }, 'The Application does not exist in the cluster.'],
    [{ name: 'shop-rc', release: 'shop-v1.0.0' }, 'The Application does not exist in the cluster.'],
    [{ name: 'shop-rc', release: 'shop-v1.0.0', appliedSettings }, 'The zone has 0 replicas'],
    [{ name: 'shop-off', release: 'shop-v1.0.0' }, 'The zone has 0 replicas'],
    [{ name: 'shop-far', release: 'shop-v1.0.0' }, 'The zone runs in the cluster "apart", which the service cannot'],
  ] satisfies [ZoneStatus, string][]) {
    const zones: ZoneStatus[] = [status];
    await api.store.updateStatus(ProductKind, { namespace: 'org-acme', name: 'shop' }, () => ({ zones }));
    expect((await readZone<Details>(api, status.name)).notRunningReason).toContain(reason);
  }
});

it('200: shows a zone, and why there are no pods and logs, while its workload cluster does not respond', async () => {
  const find = async () => {
    throw new ServiceError('cluster-unavailable', 'The API server is unavailable.');
  };
  const workloadClusters = buildWorkloadClusters({ apart: { objects: { find } } as unknown as ZoneCluster });
  const api = await startApi({ role: 'org-admin', workloadClusters });
  await createShop(api, [{ name: 'shop-far', cluster: 'apart' }]);
  const zones: ZoneStatus[] = [{ name: 'shop-far', currentPromotion }];
  await api.store.updateStatus(ProductKind, { namespace: 'org-acme', name: 'shop' }, () => ({ zones }));
  const notRunningReason = expect.stringContaining('the cluster "apart", which the service cannot read now');
  expect(await readZone(api, 'shop-far')).toMatchObject({
    status: { currentPromotion },
    pods: [],
    events: [],
    notRunningReason,
  });
  const headers = { accept: 'application/json' };
  const logs = await api.request('/v1/orgs/acme/products/shop/zones/shop-far/logs', { headers });
  expect([logs.status, await logs.json()]).toEqual([200, { pods: [], notRunningReason }]);
});
