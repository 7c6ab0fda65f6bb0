import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ApiClient } from '../../src/clients/api-client.ts';
import { queryInstant } from '../../src/integrations/telemetry/prometheus-queries.ts';
import type { Incident } from '../../src/rules/incidents/kinds.ts';
import { createAcmeOrg, pushRepo, requestZone, waitForZonePhase } from '../support/platform/acme.ts';
import { TestPlatform } from '../support/platform/test-platform.ts';
import { describeWithAlertmanager } from '../support/servers/alertmanager.ts';

type IncidentView = Pick<Incident, 'spec' | 'status'>;
type StatusPage = { zones: { name: string; state: string }[]; incidents: { impact: string; resolvedAt?: string }[] };

let platform: TestPlatform;
let api: ApiClient;

/** The sample with a path that fails. */
async function buildFailingApp(): Promise<string> {
  const app = await readFile(new URL('../../src/emulators/sample/hello/app.js', import.meta.url), 'utf8');
  const line = "    if (url.pathname === '/version')";
  expect(app).toContain(line);
  return app.replace(
    line,
    `    if (url.pathname === '/fail') return send(response, 500, 'text/plain', 'no');\n${line}`,
  );
}

async function deploy(): Promise<void> {
  await pushRepo(platform, { fullName: 'acme/fragile', files: { 'app.js': await buildFailingApp() } });
  const slo = {
    name: 'answered',
    objective: '99',
    window: '1d',
    indicator: { availability: { metric: 'http_requests_total' } },
  };
  const zones = [{ name: 'fragile-prod', promotionPolicy: 'automatic', access: 'public' }];
  await api.post('/v1/orgs/acme/products', {
    name: 'fragile',
    spec: { repos: ['acme/fragile'], delivery: { zones }, slos: [slo] },
  });
  const { name: release } = await api.post<{ name: string }>('/v1/orgs/acme/releases', { product: 'fragile' });
  await waitForZonePhase(api, release, { zone: 'fragile-prod', phase: 'Verified' });
}

/** Returns the failed requests that Prometheus knows of; undefined before it has read the metrics of the app. */
async function countFailures(): Promise<number | undefined> {
  const query = queryInstant({
    url: `http://127.0.0.1:${platform.port + 8}`,
    basicAuthFile: join(platform.dataDir, 'metrics', 'basic-auth'),
  });
  const samples = await query('sum(http_requests_total{namespace="fragile-prod",code="500"})').catch(() => []);
  return samples[0]?.value;
}

/** Sends requests to the zone, twenty at a time. */
async function sendRequests(path: string, count: number): Promise<void> {
  const url = platform.zoneUrl('fragile-prod');
  for (let sent = 0; sent < count; sent += 20)
    await Promise.all(Array.from({ length: 20 }, async () => await requestZone(url, path)));
}

const listIncidents = async (): Promise<IncidentView[]> =>
  (await api.get<{ items: IncidentView[] }>('/v1/orgs/acme/incidents')).items;
const listAlerts = async () =>
  (await listIncidents()).map(({ spec, status }) => [spec.alert?.name, spec.zone, status?.state]).toSorted();
const readStatusPage = async (): Promise<StatusPage> => await api.get('/v1/status/acme/fragile');
const readZone = async (): Promise<string | undefined> => (await readStatusPage()).zones[0]?.state;

describeWithAlertmanager('an alert of a platform with metrics', () => {
  beforeAll(async () => {
    platform = await TestPlatform.start({ METRICS: 'on' });
    api = await platform.signInAsRoot();
    await createAcmeOrg(api);
    await deploy();
  });
  afterAll(async () => await platform.remove());

  it('opens one incident, turns the status page, and resolves the incident when it ends', async () => {
    await expect.poll(readZone).toBe('operational');
    // The first values that Prometheus reads are no increase.
    await expect.poll(countFailures, { timeout: 120_000 }).toBe(0);
    await sendRequests('/fail', 100);
    const startedAt = performance.now();
    const both = (state: string) => [
      ['ServiceFastBurn', 'fragile-prod', state],
      ['ServiceSlowBurn', 'fragile-prod', state],
    ];
    await expect.poll(listAlerts, { timeout: 180_000, interval: 1_000 }).toEqual(both('Open'));
    const openedMs = performance.now() - startedAt;
    await expect.poll(readZone).toBe('down');
    const incident = (await listIncidents()).find(({ spec }) => spec.alert?.name === 'ServiceFastBurn');
    expect(incident).toMatchObject({
      spec: { severity: 'critical', openedBy: 'alert', alert: { slo: 'answered' } },
      status: { promotion: { version: 'v0.1.0' }, timeline: [{ type: 'opened', by: 'alert' }] },
    });

    await sendRequests('/version', 4_000);
    const healedAt = performance.now();
    await expect.poll(listAlerts, { timeout: 180_000, interval: 1_000 }).toEqual(both('Resolved'));
    const resolvedMs = performance.now() - healedAt;
    process.stdout.write(
      `Opened ${Math.round(openedMs / 1_000)} s after the failures, resolved ${Math.round(resolvedMs / 1_000)} s after the last.\n`,
    );
    for (const { status } of await listIncidents())
      expect(status?.timeline.map(({ type, by }) => [type, by])).toEqual([
        ['opened', 'alert'],
        ['alert-cleared', 'alert'],
        ['resolved', 'alert'],
      ]);
    await expect.poll(readZone).toBe('operational');
    expect((await readStatusPage()).incidents.every(({ resolvedAt }) => resolvedAt !== undefined)).toBe(true);
  }, 600_000);
});
