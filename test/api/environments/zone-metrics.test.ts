import { KubeConfig } from '@kubernetes/client-node';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { z } from '@hono/zod-openapi';
import type { ZoneMetricsView } from '../../../api/environments/schemas.ts';
import { NamespaceKind } from '../../../src/kinds/kubernetes.ts';
import { createClusterTelemetry } from '../../../src/main/wiring/telemetry/cluster-telemetry.ts';
import { zoneNamespaceLabels } from '../../../src/rules/environments/zone-namespace.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { eventually } from '../../emulators/cluster/cluster-fixture.ts';
import { startApi } from '../../support/start-api.ts';
import { startZoneApiFixture, minimalApp, serverImport, readViolations } from './zone-api-fixture.ts';

type Metrics = z.infer<typeof ZoneMetricsView>;

describe('getZoneMetrics', () => {
  it('200: returns the usage of each pod with its CPU request and memory limit', async () => {
    const fixture = await startZoneApiFixture({ usageIntervalMs: 200 });
    const resources = { requests: { cpu: '250m', memory: '256Mi' }, limits: { memory: '256Mi' } };
    const app = `${serverImport} createServer((request, response) => {
for (const until = Date.now() + 100; Date.now() < until;); request.resume().on('end', () => response.end('x'.repeat(50000)));
}).listen(process.env.PORT);`;
    await fixture.deploy(app, { resources, replicas: 2 });
    const { pods } = await fixture.readView();
    await eventually(async () => {
      await Promise.all(
        [1, 2].map(async () => await fixture.zone.request({ method: 'POST', body: 'y'.repeat(20_000) })),
      );
      const metrics = await fixture.readView<Metrics>('/metrics');
      expect(metrics).toMatchObject({
        stepSeconds: 15,
        cpuRequestCores: 0.25,
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

  it('200: covers the last hour, or up to a week on request, in the same number of points', async () => {
    const fixture = await startZoneApiFixture();
    await fixture.deploy(minimalApp);
    const spans = await Promise.all(
      ['', '?hours=1', '?hours=6', '?hours=168'].map(async (query) => {
        const { from, to, stepSeconds } = await fixture.readView<Metrics>(`/metrics${query}`);
        return [(Date.parse(to) - Date.parse(from)) / 3_600_000, stepSeconds];
      }),
    );
    expect(spans).toEqual([
      [1, 15],
      [1, 15],
      [6, 90],
      [168, 2520],
    ]);
  });

  it('422: rejects a time window out of bounds', async () => {
    const fixture = await startZoneApiFixture();
    for (const hours of ['0', '169', '-1', '1.5', 'week'])
      expect(await readViolations(await fixture.get(`/metrics?hours=${hours}`))).toEqual({
        status: 422,
        pointers: ['?hours'],
      });
  });

  it('503: names the missing setting in a cluster without Prometheus', async () => {
    const kubeConfig = new KubeConfig();
    const cluster = { name: 'nowhere', server: 'https://127.0.0.1:1', skipTLSVerify: true };
    kubeConfig.loadFromClusterAndUser(cluster, { name: 'anonymous' });
    const telemetry = createClusterTelemetry({ kubeConfig, prometheus: undefined });
    onTestFinished(telemetry.close);
    const api = await startApi({ role: 'viewer', telemetry });
    const zones = [{ name: 'hello-rc', promotionPolicy: 'automatic' }];
    const body = { name: 'hello', spec: { repos: [], delivery: { zones } } };
    const created = await api.request('/v1/orgs/acme/products', { method: 'POST', body, role: 'org-admin' });
    expect(created.status).toBe(201);
    const { metadata } = await api.store.get(ProductKind, { namespace: 'org-acme', name: 'hello' });
    const owner = { org: 'acme', product: 'hello', zone: 'hello-rc', uid: metadata.uid };
    await api.store.create(NamespaceKind, {
      metadata: { namespace: '', name: 'hello-rc', labels: zoneNamespaceLabels(owner) },
    });
    const refused = await api.request('/v1/orgs/acme/products/hello/zones/hello-rc/metrics');
    expect([refused.status, await refused.json()]).toMatchObject([
      503,
      { detail: expect.stringContaining('Ask an operator to set PROMETHEUS_URL,') },
    ]);
  });
});
