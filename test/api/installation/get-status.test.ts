import { describe, expect, it } from 'vitest';
import type { ZoneCluster } from '../../../src/integrations/telemetry/zone-cluster.ts';
import { startApi, type CallerRole } from '../../support/start-api.ts';

describe('getStatus', () => {
  it('200: responds while the workflow server is unreachable, and says that progress is paused', async () => {
    const { request } = await startApi();
    expect(await (await request('/v1/status')).json()).toMatchObject({
      kind: 'Installation',
      version: 'test',
      store: { reachable: true },
      workflows: { reachable: false },
      managementCluster: { name: 'in-cluster', reachable: true },
      resources: { organizations: 1, products: 0 },
      message: expect.stringContaining('are paused'),
    });
  });

  it('200: tells which workload clusters the service can read', async () => {
    const cluster = {} as ZoneCluster;
    const { request } = await startApi({ workloadClusters: new Map([['apart', cluster]]) });
    expect(await (await request('/v1/status')).json()).toMatchObject({
      managementCluster: { workloadClusters: [{ name: 'apart', readable: true }] },
    });
  });

  it('200: tells the number of resources of all orgs to platform admins only', async () => {
    const { request } = await startApi();
    const read = async (role: CallerRole): Promise<object> =>
      (await (await request('/v1/status', { role })).json()) as object;
    expect(await read('platform-admin')).toHaveProperty('resources');
    for (const role of ['viewer', 'org-admin', 'no-role'] as const)
      expect(await read(role)).not.toHaveProperty('resources');
  });
});
