import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ApiClient } from '../../src/clients/api-client.ts';
import { queryInstant } from '../../src/integrations/telemetry/prometheus-queries.ts';
import { createAcmeOrg, pushRepo, requestZone, waitForZonePhase } from '../support/platform/acme.ts';
import { TestPlatform } from '../support/platform/test-platform.ts';
import { describeWithAlertmanager } from '../support/servers/alertmanager.ts';

let platform: TestPlatform;
let api: ApiClient;

/** Queries the Prometheus of the platform; its password changes with each start. */
const query = async (promql: string) =>
  await queryInstant({
    url: `http://127.0.0.1:${platform.port + 8}`,
    basicAuthFile: join(platform.dataDir, 'metrics', 'basic-auth'),
  })(promql).catch(() => []);

const listProcesses = (): string[] =>
  execFileSync('ps', ['-eo', 'args='], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(join(platform.dataDir, 'metrics')));

async function deployZones(): Promise<void> {
  await pushRepo(platform, { fullName: 'acme/hello' }).catch(() => undefined);
  const zones = [
    { name: 'hello-open', promotionPolicy: 'automatic', access: 'public' },
    { name: 'hello-closed', promotionPolicy: 'automatic', access: 'signed-in' },
  ];
  await api.post('/v1/orgs/acme/products', { name: 'hello', spec: { repos: ['acme/hello'], delivery: { zones } } });
  const { name: release } = await api.post<{ name: string }>('/v1/orgs/acme/releases', { product: 'hello' });
  for (const { name: zone } of zones) await waitForZonePhase(api, release, { zone, phase: 'Verified' });
}

describeWithAlertmanager('a platform with metrics', () => {
  beforeAll(async () => {
    platform = await TestPlatform.start({ METRICS: 'on' });
    api = await platform.signInAsRoot();
    await createAcmeOrg(api);
    await deployZones();
  });
  afterAll(async () => await platform.remove());

  it('reads the sample in every zone, also where sign-in is required', async () => {
    const up = async () =>
      (await query('up{endpoint="http"}'))
        .map(({ labels, value }) => [labels['namespace'], labels['container'], value])
        .toSorted();
    await expect.poll(up).toEqual([
      ['hello-closed', 'app', 1],
      ['hello-open', 'app', 1],
    ]);
    expect((await requestZone(platform.zoneUrl('hello-open'), '/')).status).toBe(200);
    const count = async () =>
      (await query('sum(http_requests_total{namespace="hello-open",code="200"})'))[0]?.value ?? 0;
    await expect.poll(count).toBeGreaterThan(0);
    // Each exporter is scraped at its own times.
    await expect
      .poll(async () => await query('kube_deployment_status_replicas_available{namespace="hello-open"}'))
      .toEqual([expect.objectContaining({ value: 1, labels: expect.objectContaining({ deployment: 'hello' }) })]);
    await expect.poll(async () => (await query('container_memory_working_set_bytes{container="app"}')).length).toBe(2);
  });

  it('leaves no process behind when it is killed, and has its data after a restart', async () => {
    await expect.poll(async () => (await query('up{namespace="hello-open"}')).length).toBe(1);
    const before = await readFile(join(platform.dataDir, 'metrics', 'basic-auth'), 'utf8');
    expect(listProcesses().length).toBeGreaterThanOrEqual(2);
    const killedAt = new Date();
    process.kill(platform.pid, 'SIGKILL');
    await expect.poll(listProcesses).toEqual([]);
    await platform.start({ METRICS: 'on' });
    const known = async () => await query(`up{namespace="hello-open"} @ ${killedAt.getTime() / 1_000}`);
    await expect.poll(async () => (await known()).map(({ value }) => value)).toEqual([1]);
    expect(await readFile(join(platform.dataDir, 'metrics', 'basic-auth'), 'utf8')).not.toBe(before);
    await platform.stop();
    // On a busy machine the stop reaches its time limit, and the kernel ends the programs after the platform.
    await expect.poll(listProcesses).toEqual([]);
  });
});
