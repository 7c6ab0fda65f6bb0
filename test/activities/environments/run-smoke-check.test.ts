import { CancelledFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, it } from 'vitest';
import type { ZoneCluster } from '../../../src/integrations/telemetry/zone-cluster.ts';
import { startSite } from '../../support/servers/test-sites.ts';
import { buildWorkloadClusters } from '../../support/workload-clusters.ts';
import { createHarness, ref } from './environment-fixture.ts';

it('repeats the smoke check until the app responds', async () => {
  let requests = 0;
  const { url } = await startSite({
    '/': (_, response) => response.writeHead((requests += 1) < 3 ? 503 : 200).end(),
  });
  const { activities, run } = await createHarness({ service: url });
  expect(await run(activities.runSmokeCheck, { ...ref, intervalMs: 1 })).toMatchObject({ outcome: 'passed' });
  expect(requests).toBe(3);
});

it('checks the app at its Service, and reports the address apart', async () => {
  const { url: service } = await startSite({ '/': 'Hello' });
  const zone = { access: 'public' as const };
  // Nothing listens at the address yet.
  const { activities, run, readZoneStatus } = await createHarness({ service, zone });
  const result = await run(activities.runSmokeCheck, { ...ref, intervalMs: 1 });
  expect(result).toMatchObject({ outcome: 'passed', response: { url: service, status: 200 } });
  expect((await readZoneStatus())?.addressCheck).toMatchObject({
    url: 'http://shop-prod.localhost:1',
    reachable: false,
    message: expect.stringMatching(/^The address does not respond: /),
  });
});

it('has no address to check in a zone without access from outside', async () => {
  const { url: service } = await startSite({ '/': 'Hello' });
  const { activities, run, readZoneStatus } = await createHarness({ service, zone: { access: 'none' } });
  expect(await run(activities.runSmokeCheck, { ...ref, intervalMs: 1 })).toMatchObject({ outcome: 'passed' });
  expect(await readZoneStatus()).toBeUndefined();
});

it('checks the app of a zone in a workload cluster through that cluster', async () => {
  const zone = { cluster: 'apart', access: 'none' as const, verify: { timeoutSeconds: 1 } };
  const check = async (requestService: ZoneCluster['requestService']) => {
    const cluster = { requestService } as ZoneCluster;
    const { activities, run } = await createHarness({
      zone,
      workloadClusters: buildWorkloadClusters({ apart: cluster }),
    });
    return await run(activities.runSmokeCheck, { ...ref, intervalMs: 500 });
  };
  const targets: object[] = [];
  const passed = await check(async (target) => (targets.push(target), { status: 200, body: '' }));
  expect(passed).toMatchObject({ outcome: 'passed', response: { status: 200 } });
  expect(targets).toEqual([{ namespace: 'shop-prod', name: 'shop' }]);
  expect(await check(async () => ({ status: 503, body: 'no endpoints' }))).toMatchObject({
    outcome: 'failed',
    response: { status: 503, response: 'no endpoints' },
  });
  const refused = await check(async () => await Promise.reject(new Error('connection refused')));
  expect(refused.message).toMatch(/did not respond: connection refused\.$/);
});

it('gives up at the time limit of the zone, and asks nothing of the address of an app that fails', async () => {
  let requests = 0;
  const { url } = await startSite({ '/': (_, response) => void response.writeHead((requests += 1) && 503).end() });
  const zone = { verify: { timeoutSeconds: 0 } };
  const { activities, run, readZoneStatus } = await createHarness({ service: url, zone });
  expect(await run(activities.runSmokeCheck, { ...ref, intervalMs: 1 })).toMatchObject({ outcome: 'failed' });
  expect(requests).toBe(1);
  expect(await readZoneStatus()).toBeUndefined();
});

it('checks the URL that a zone names instead of its Service, also in a workload cluster', async () => {
  const { url, requests } = await startSite({ '/healthz': 'fine' });
  for (const cluster of [{}, { cluster: 'apart' }]) {
    const zone = { ...cluster, access: 'none' as const, verify: { url: `${url}/healthz` } };
    const { activities, run } = await createHarness({ site: url, service: 'http://shop-prod.localhost:1', zone });
    expect(await run(activities.runSmokeCheck, { ...ref, intervalMs: 1 })).toMatchObject({
      outcome: 'passed',
      response: { url: `${url}/healthz`, status: 200 },
    });
  }
  expect(requests).toEqual(['/healthz', '/healthz']);
});

it('stops the smoke check when it is cancelled', async () => {
  const environment = new MockActivityEnvironment();
  const { url } = await startSite({
    '/': (_, response) => {
      response.writeHead(503).end();
      setTimeout(() => environment.cancel('CANCELLED'), 20);
    },
  });
  const { activities } = await createHarness({ service: url });
  const checking = environment
    .run(activities.runSmokeCheck, { ...ref, intervalMs: 600_000 })
    .catch((error: unknown) => error);
  expect(await checking).toBeInstanceOf(CancelledFailure);
});

it('does not fail a Release because the service has no access to the cluster of the zone', async () => {
  const { activities, run } = await createHarness({ zone: { cluster: 'apart', access: 'none' } });
  expect(await run(activities.runSmokeCheck, { ...ref, intervalMs: 1 })).toMatchObject({
    outcome: 'passed',
    message: 'the service cannot reach the app in the cluster "apart", where it is healthy',
  });
});

it('passes the smoke check of a zone without replicas, and rejects a removed zone', async () => {
  const { activities, run } = await createHarness({ zone: { replicas: 0 } });
  expect(await run(activities.runSmokeCheck, { ...ref, intervalMs: 1 })).toMatchObject({
    outcome: 'passed',
    message: 'the zone has no replicas',
  });
  const missing = run(activities.runSmokeCheck, { ...ref, zone: 'gone', intervalMs: 1 });
  await expect(missing).rejects.toMatchObject({ type: 'zone-missing', nonRetryable: true });
});
