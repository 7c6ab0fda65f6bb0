import { Client, Connection } from '@temporalio/client';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { ServiceError } from '../../../src/errors.ts';
import type { Monitoring } from '../../../src/integrations/telemetry/monitoring.ts';
import type { ZoneCluster } from '../../../src/integrations/telemetry/zone-cluster.ts';
import { ConfigMapKind } from '../../../src/kinds/kubernetes.ts';
import { ClusterKind } from '../../../src/rules/clusters/kinds.ts';
import { openTestStore } from '../../support/open-test-store.ts';
import { startSlowProxy } from '../../support/servers/slow-proxy.ts';
import { startApi, type CallerRole } from '../../support/start-api.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';
import { buildWorkloadClusters } from '../../support/workload-clusters.ts';

describe('getStatus', () => {
  it('200: responds while the workflow server is unreachable, and says that progress is paused', async () => {
    const { request } = await startApi();
    expect(await (await request('/v1/status')).json()).toMatchObject({
      kind: 'Installation',
      version: 'test',
      store: { reachable: true },
      workflows: { reachable: false },
      managementCluster: { name: 'in-cluster', reachable: true },
      metrics: { reachable: false, message: expect.stringContaining('PROMETHEUS_URL is not set') },
      resources: { organizations: 1, products: 0 },
      gitops: [{ org: 'acme', repo: 'acme/gitops', readable: true, products: 0, waves: [] }],
      message: expect.stringContaining('are paused'),
    });
  });

  it('200: tells which workload clusters the service can read', async () => {
    const cluster = {} as ZoneCluster;
    const { request } = await startApi({ workloadClusters: buildWorkloadClusters({ apart: cluster }) });
    expect(await (await request('/v1/status')).json()).toMatchObject({
      managementCluster: { workloadClusters: [{ name: 'apart', readable: true }] },
    });
  });

  it('200: names the clusters that were added, and without the store only those of the operator, as unreadable', async () => {
    const store = openTestStore();
    let isAway = false;
    const find: typeof store.find = async (kind, ref) =>
      isAway && kind.kind === ConfigMapKind.kind
        ? await Promise.reject(new Error('The store is away.'))
        : await store.find(kind, ref);
    const workloadClusters = buildWorkloadClusters({ apart: {} as ZoneCluster });
    const { request } = await startApi({ role: 'viewer', store: { ...store, find }, workloadClusters });
    await store.create(ClusterKind, { metadata: { namespace: 'service-system', name: 'far' }, spec: {} });
    const read = async () => (await (await request('/v1/status')).json()) as { managementCluster: object };
    expect((await read()).managementCluster).toMatchObject({
      reachable: true,
      workloadClusters: expect.arrayContaining([
        { name: 'apart', readable: true },
        { name: 'far', readable: false },
      ]) as object[],
    });
    isAway = true;
    expect(await read()).toMatchObject({
      store: { reachable: false },
      managementCluster: { reachable: false, workloadClusters: [{ name: 'apart', readable: false }] },
    });
  });

  it.each([
    ['responds', {}, { reachable: true }],
    [
      'is away',
      {
        listAlerts: async () => await Promise.reject(new ServiceError('metrics-unavailable', 'Alertmanager is away.')),
      },
      { reachable: false, message: 'Alertmanager is away.' },
    ],
    [
      'is late',
      { queryInstant: async () => await new Promise<never>(() => {}) },
      { reachable: false, message: 'Prometheus or Alertmanager did not respond in time.' },
    ],
  ])('200: tells whether the metrics servers can be used: one %s', async (_, changed, expected) => {
    const monitoring = {
      queryInstant: async () => [],
      listAlerts: async () => [],
      ...changed,
    } as unknown as Monitoring;
    const { request } = await startApi({ monitoring });
    expect(await (await request('/v1/status')).json()).toMatchObject({ metrics: expected });
  });

  it('200: tells the repos and the number of resources of all orgs to platform admins only', async () => {
    const { request } = await startApi();
    const read = async (role: CallerRole): Promise<object> =>
      (await (await request('/v1/status', { role })).json()) as object;
    expect(await read('platform-admin')).toHaveProperty('resources');
    const others = await Promise.all((['viewer', 'org-admin', 'no-role'] as const).map(read));
    for (const status of others) {
      expect(status).not.toHaveProperty('resources');
      expect(status).not.toHaveProperty('gitops');
    }
  });
});

describeWithTemporal('getStatus of a busy machine', () => {
  it('200: waits for a workflow server that responds late', async () => {
    const proxy = await startSlowProxy(inject('temporalAddress') ?? '');
    const connection = await Connection.connect({ address: proxy.address });
    onTestFinished(async () => await connection.close());
    const { request } = await startApi({ temporal: new Client({ connection }) });
    proxy.pause();
    setTimeout(proxy.resume, 1_000);
    expect(await (await request('/v1/status')).json()).toMatchObject({ workflows: { reachable: true } });
  });
});
