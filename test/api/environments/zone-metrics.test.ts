import { KubeConfig } from '@kubernetes/client-node';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { z } from '@hono/zod-openapi';
import type { ZoneMetricsView } from '../../../api/environments/schemas.ts';
import { clusterTelemetry } from '../../../src/main/cluster-telemetry.ts';
import { eventually } from '../../local/cluster/a-cluster.ts';
import { startApi } from '../../support/start-api.ts';
import { aZoneView, quietApp, server, wrongIn } from './a-zone-view.ts';

type Metrics = z.infer<typeof ZoneMetricsView>;

describe('the metrics of a zone', () => {
  it('are what each pod used of CPU, memory and network, with the lines that it should stay below', async () => {
    const view = await aZoneView({ measureEveryMs: 200 });
    const resources = { requests: { cpu: '250m', memory: '256Mi' }, limits: { memory: '256Mi' } };
    const app = `${server} createServer((request, response) => {
for (const until = Date.now() + 100; Date.now() < until;); request.resume().on('end', () => response.end('x'.repeat(50000)));
}).listen(process.env.PORT);`;
    await view.deploy(app, { resources, replicas: 2 });
    const { pods } = await view.read();
    await eventually(async () => {
      await Promise.all([1, 2].map(async () => await view.zone.ask({ method: 'POST', body: 'y'.repeat(20_000) })));
      const metrics = await view.read<Metrics>('/metrics');
      expect(metrics).toMatchObject({
        stepSeconds: 15,
        cpuReservationCores: 0.25,
        memoryLimitBytes: 256 * 2 ** 20,
      });
      expect(Date.parse(metrics.to) - Date.parse(metrics.from)).toBe(3_600_000);
      expect(metrics.pods.map(({ name }) => name)).toEqual(pods.map(({ name }) => name));
      for (const { points } of metrics.pods) {
        const last = points.at(-1);
        expect(last?.cpuCores).toBeGreaterThan(0.01);
        expect(last?.cpuCores).toBeLessThan(3);
        expect(last?.memoryBytes).toBeGreaterThan(2 ** 20);
        expect(last?.memoryBytes).toBeLessThan(2 ** 30);
        expect(last?.receivedBytesPerSecond).toBeGreaterThan(1_000);
        expect(last?.sentBytesPerSecond).toBeGreaterThan(2_500);
      }
    });
  });

  it('are of the last hour, or of as many as asked for up to a week, in as many points', async () => {
    const view = await aZoneView();
    await view.deploy(quietApp);
    const spans = await Promise.all(
      ['', '?hours=6', '?hours=168'].map(async (query) => {
        const { from, to, stepSeconds } = await view.read<Metrics>(`/metrics${query}`);
        return [(Date.parse(to) - Date.parse(from)) / 3_600_000, stepSeconds];
      }),
    );
    expect(spans).toEqual([
      [1, 15],
      [6, 90],
      [168, 2520],
    ]);
  });

  it('422: refuses what is out of bounds', async () => {
    const view = await aZoneView();
    for (const hours of ['0', '169', '-1', '1.5', 'week'])
      expect(await wrongIn(await view.get(`/metrics?hours=${hours}`))).toEqual({ status: 422, pointers: ['?hours'] });
  });

  it('503: says which setting is missing in a cluster where nothing measures', async () => {
    const kubeConfig = new KubeConfig();
    const nowhere = { name: 'nowhere', server: 'https://127.0.0.1:1', skipTLSVerify: true };
    kubeConfig.loadFromClusterAndUser(nowhere, { name: 'nobody' });
    const telemetry = clusterTelemetry({ kubeConfig, prometheus: undefined });
    onTestFinished(telemetry.close);
    const api = await startApi({ role: 'viewer', telemetry });
    const zones = [{ name: 'hello-rc', arrival: 'automatic' }];
    const body = { name: 'hello', spec: { repos: [], delivery: { zones } } };
    const created = await api.request('/v1/orgs/acme/products', { method: 'POST', body, role: 'org-admin' });
    expect(created.status).toBe(201);
    const refused = await api.request('/v1/orgs/acme/products/hello/zones/hello-rc/metrics');
    expect([refused.status, await refused.json()]).toMatchObject([
      503,
      { detail: expect.stringContaining('An operator sets PROMETHEUS_URL.') },
    ]);
  });
});
