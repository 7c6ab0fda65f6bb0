import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { createEnvironmentActivities } from '../../../activities/environments/environment-activities.ts';
import { wrapActivities } from '../../../activities/wrap-activities.ts';
import { loadConfig } from '../../../src/config.ts';
import type { Codehost } from '../../../src/integrations/codehost/codehost.ts';
import type { WorkloadClusters, ZoneCluster } from '../../../src/integrations/telemetry/zone-cluster.ts';
import { octokitCodehost } from '../../../src/integrations/codehost/octokit.ts';
import { NetworkPolicyKind, readSecretText, SecretKind } from '../../../src/kinds/kubernetes.ts';
import { ApplicationKind } from '../../../src/kinds/argo-cd.ts';
import { DomainKind, type DomainStatus } from '../../../src/rules/domains/kinds.ts';
import { zoneValuesPath } from '../../../src/rules/environments/zone-values.ts';
import { InstallationKind, installationRef } from '../../../src/rules/installation/kinds.ts';
import { OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import { ProductKind, type ZoneSpec } from '../../../src/rules/products/kinds.ts';
import { registriesSecretName, toRegistriesData } from '../../../src/rules/registries/registries-secret.ts';
import { ReleaseKind } from '../../../src/rules/releases/kinds.ts';
import { openTestStore } from '../../support/open-test-store.ts';
import { startShopFixture } from '../../emulators/codehost/codehost-fixture.ts';
import { buildDomainSettings } from '../../support/start-api.ts';
import { trustingJudge } from '../../support/trusting-judge.ts';
import { startSite } from '../../support/servers/test-sites.ts';
import { buildWorkloadClusters } from '../../support/workload-clusters.ts';

const namespace = 'org-acme';
const ref = { org: 'acme', product: 'shop', zone: 'shop-prod' };
const release = 'shop-v0.1.0';
const zoneChart = { 'Chart.yaml': 'apiVersion: v2\nname: zone\nversion: 0.1.0\n' };

type HarnessOptions = {
  zone?: Partial<ZoneSpec>;
  site?: string;
  service?: string;
  codehost?: Codehost;
  workloadClusters?: WorkloadClusters;
};

async function createHarness({
  zone = {},
  site = 'http://shop-prod.localhost:1',
  service = site,
  codehost = {} as Codehost,
  workloadClusters = buildWorkloadClusters({}),
}: HarnessOptions = {}) {
  const store = openTestStore();
  await store.create(OrganizationKind, {
    metadata: { namespace: 'service-system', name: 'acme' },
    spec: { codehostAccount: 'acme', gitopsRepo: 'acme/shop' },
  });
  const zones: ZoneSpec[] = [{ name: ref.zone, promotionPolicy: 'after-approval', ...zone }];
  await store.create(ProductKind, {
    metadata: { namespace, name: ref.product },
    spec: { repos: ['acme/shop'], delivery: { zones } },
  });
  await store.create(ReleaseKind, {
    metadata: { namespace, name: release },
    spec: { product: 'shop', repo: 'acme/shop', commit: 'c1', version: 'v0.1.0', startedBy: 'ada' },
  });
  await store.updateStatus(ReleaseKind, { namespace, name: release }, () => ({
    phase: 'Promoting' as const,
    digest: 'sha256:1',
    zones: [{ name: ref.zone, phase: 'Pending' as const }],
  }));
  const activities = wrapActivities(
    createEnvironmentActivities({
      store,
      codehost,
      zoneAddress: () => site,
      domains: buildDomainSettings(),
      zoneService: () => service,
      allowedInside: [],
      imageRepository: () => 'registry/shop',
      zoneChart,
      registry: { push: undefined, pull: undefined },
      workloadClusters,
      argoCdNamespace: 'argocd',
      network: loadConfig({ GATEWAY_NAMESPACES: 'traefik' }).network,
      healthRecheckDelayMs: 1,
      decisions: trustingJudge,
      now: () => new Date(),
    }),
  );
  const run = async <Input, Output>(activity: (input: Input) => Promise<Output>, input: Input): Promise<Output> =>
    await new MockActivityEnvironment().run(activity, input);
  const readZoneStatus = async () => (await store.get(ProductKind, { namespace, name: 'shop' })).status?.zones?.[0];
  return { store, activities, run, readZoneStatus };
}

async function connectCodehost(): Promise<Codehost> {
  const { codehost, app } = await startShopFixture();
  return octokitCodehost({
    apiUrl: codehost.apiUrl,
    throttle: false,
    findCredentials: async () => ({ appId: String(app.id), privateKey: app.pem, account: 'acme', version: '1' }),
  });
}

const promotion = { ...ref, release, version: 'v0.1.0', commit: 'c1', digest: 'sha256:1' };

it('records a promotion on the Release and on the zone', async () => {
  const attempt = { id: 'a1' };
  const { activities, run, readZoneStatus } = await createHarness();
  await run(activities.recordPromotion, { ...ref, release, attempt, patch: { phase: 'Promoting' } });
  expect(await readZoneStatus()).toMatchObject({
    currentPromotion: { release, version: 'v0.1.0', phase: 'Promoting' },
  });
  expect(await run(activities.readZone, ref)).toEqual({ requiresApproval: true, running: undefined });
  const healthyAt = '2026-01-01T00:00:00.000Z';
  await run(activities.recordPromotion, { ...ref, release, attempt, patch: { phase: 'Healthy', healthyAt } });
  expect(await readZoneStatus()).toMatchObject({ release, version: 'v0.1.0', digest: 'sha256:1', healthyAt });
  expect(await run(activities.readZone, ref)).toMatchObject({ running: { release, version: 'v0.1.0' } });
});

it('writes the address under the platform domain that a platform admin has set meanwhile', async () => {
  const codehost = await connectCodehost();
  const { activities, run, store, readZoneStatus } = await createHarness({ codehost });
  const readHosts = async () => (await readZoneStatus())?.appliedSettings?.ingress.hosts;
  await run(activities.writeZoneSettings, { ...ref, generation: 1 });
  expect(await readHosts()).toEqual(['shop-prod.localhost']);
  await store.create(InstallationKind, {
    metadata: installationRef,
    spec: { platformDomain: 'cloud.test', managedDomainRoots: [], signIn: { password: 'everyone' } },
  });
  await run(activities.writeZoneSettings, { ...ref, generation: 1 });
  expect(await readHosts()).toEqual([`${ref.zone}.cloud.test`]);
});

it('merges a promotion into the gitops repo once and creates the Application', async () => {
  const codehost = await connectCodehost();
  const { activities, run, store, readZoneStatus } = await createHarness({ codehost });
  const readValues = async () =>
    await (await codehost.forOrg('acme')).readFile('acme/shop', zoneValuesPath('shop', ref.zone), 'main');
  expect(await run(activities.writeZoneSettings, { ...ref, generation: 1 })).toEqual({ outcome: 'no-release' });
  expect(await readValues()).toContain('replicas: 1');
  expect(await readValues()).not.toContain('image');
  expect((await readZoneStatus())?.appliedSettings).toBeDefined();
  expect(await store.find(ApplicationKind, { namespace, name: ref.zone })).toBeUndefined();
  const first = await run(activities.writePromotion, promotion);
  expect(first).toMatchObject({ outcome: 'promoted', pullRequest: { url: expect.any(String) } });
  expect(await run(activities.writePromotion, promotion)).toMatchObject({ outcome: 'promoted' });
  expect(await readValues()).toContain('digest: "sha256:1"');
  expect((await readZoneStatus())?.appliedSettings).toBeDefined();
  expect(await store.find(ApplicationKind, { namespace, name: ref.zone })).toBeDefined();
  const settings = await run(activities.writeZoneSettings, { ...ref, generation: 2 });
  expect(settings).toMatchObject({ outcome: 'promoted', digest: 'sha256:1' });
});

it('deploys the image of the registry that the Release was pushed to, and gives the zone its credentials', async () => {
  const codehost = await connectCodehost();
  const { activities, run, store, readZoneStatus } = await createHarness({ codehost });
  const images = {
    name: 'images',
    host: 'registry.test',
    repositoryPrefix: 'acme',
    username: 'ada',
    password: 'p',
    lastCheck: { access: 'pull-and-push' as const, at: '2026-11-25T08:00:00.000Z' },
  };
  const data = toRegistriesData([images, { ...images, name: 'other', host: 'other.test' }]);
  await store.create(SecretKind, { metadata: { namespace, name: registriesSecretName }, data });
  const readHosts = async (): Promise<string[]> => {
    const secret = await store.find(SecretKind, { namespace: ref.zone, name: 'registry-pull' });
    return Object.keys(JSON.parse(readSecretText(secret, '.dockerconfigjson') ?? '{}').auths);
  };
  const imageRepository = 'registry.test/acme/shop';
  await store.updateStatus(
    ReleaseKind,
    { namespace, name: release },
    ({ status }) => status && { ...status, imageRepository },
  );
  for (let round = 0; round < 2; round += 1) {
    expect(await run(activities.writePromotion, promotion)).toMatchObject({ outcome: 'promoted' });
    expect(await readHosts()).toEqual(['registry.test', 'registry.test/acme']);
  }
  const host = await codehost.forOrg('acme');
  const values = (await host.readFile('acme/shop', zoneValuesPath('shop', ref.zone), 'main')) ?? '';
  expect(parse(values).image).toMatchObject({ repository: imageRepository });
  expect(await readZoneStatus()).toMatchObject({ imageRepository });
});

it('writes no host under a domain that is not verified, and writes it again with the proof', async () => {
  const codehost = await connectCodehost();
  const zone = { addresses: [{ domain: 'shop.example', name: 'www' }] };
  const { activities, run, store, readZoneStatus } = await createHarness({ codehost, zone });
  const domain = { namespace, name: 'shop.example' };
  const setState = async (state: DomainStatus['state']) =>
    await store.updateStatus(DomainKind, domain, () => ({ state, claimedAt: new Date().toISOString() }));
  const readHosts = async (): Promise<string[]> => {
    const { items } = await codehost.forOrg('acme').then(async (host) => ({
      items: parse((await host.readFile('acme/shop', zoneValuesPath('shop', ref.zone), 'main')) ?? '').ingress.hosts,
    }));
    expect((await readZoneStatus())?.appliedSettings?.ingress.hosts).toEqual(items);
    return items;
  };
  await store.create(DomainKind, {
    metadata: domain,
    spec: { name: 'shop.example', kind: 'external', shared: false, token: 't' },
  });
  await setState('Verified');
  await run(activities.writePromotion, promotion);
  expect(await readHosts()).toEqual(['shop-prod.localhost', 'www.shop.example']);
  await setState('Failed');
  await run(activities.writeZoneSettings, { ...ref, generation: 1 });
  expect(await readHosts()).toEqual(['shop-prod.localhost']);
  await setState('Verified');
  await run(activities.writeZoneSettings, { ...ref, generation: 1 });
  expect(await readHosts()).toEqual(['shop-prod.localhost', 'www.shop.example']);
});

it('lets only the gate of a zone connect to its app when the zone requires sign-in, from its next promotion on', async () => {
  const codehost = await connectCodehost();
  const { activities, run, store } = await createHarness({ codehost, zone: { access: 'signed-in' } });
  const readSources = async (name: string) =>
    (await store.get(NetworkPolicyKind, { namespace: ref.zone, name })).spec.ingress?.flatMap(({ from }) =>
      from.map(({ namespaceSelector }) => namespaceSelector?.matchLabels?.['kubernetes.io/metadata.name'] ?? 'own'),
    );
  expect(await run(activities.writePromotion, promotion)).toMatchObject({ outcome: 'promoted' });
  expect(await readSources('zone')).toEqual(['own', 'service-system']);
  expect(await readSources('zone-gate')).toEqual(['traefik']);
  const product = await store.get(ProductKind, { namespace, name: ref.product });
  const zones = product.spec.delivery.zones.map((zone) => ({ ...zone, access: 'public' as const }));
  await store.replace(ProductKind, { ...product, spec: { ...product.spec, delivery: { zones } } });
  await run(activities.writeZoneSettings, { ...ref, generation: 1 });
  expect(await readSources('zone')).toEqual(['own', 'traefik', 'service-system']);
});

it('fails the health check at the deadline with the last reason', async () => {
  const codehost = await connectCodehost();
  const { activities, run } = await createHarness({ codehost });
  const input = { ...ref, digest: 'sha256:1', gitopsCommit: 'c', mergedAt: new Date().toISOString(), timeoutMs: 300 };
  expect(await run(activities.waitForZoneHealth, input)).toEqual({
    outcome: 'failed',
    message: expect.stringMatching(/^The zone was not healthy in time: /),
  });
});

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

it('removes a zone that is no longer in the spec, and keeps one that was added again', async () => {
  const codehost = await connectCodehost();
  const { activities, run, store, readZoneStatus } = await createHarness({ codehost });
  await run(activities.writePromotion, promotion);
  await run(activities.removeZone, { ...ref, by: 'ada' });
  expect(await store.find(ApplicationKind, { namespace, name: ref.zone })).toBeDefined();
  const product = await store.get(ProductKind, { namespace, name: 'shop' });
  await store.replace(ProductKind, { ...product, spec: { ...product.spec, delivery: { zones: [] } } });
  const removal = run(activities.removeZone, { ...ref, by: 'ada' });
  await expect
    .poll(async () => (await store.find(ApplicationKind, { namespace, name: ref.zone }))?.metadata.deletionTimestamp)
    .toBeDefined();
  const application = await store.get(ApplicationKind, { namespace, name: ref.zone });
  await store.replace(ApplicationKind, { ...application, metadata: { ...application.metadata, finalizers: [] } });
  await removal;
  expect(await readZoneStatus()).toBeUndefined();
  const host = await codehost.forOrg('acme');
  expect(await host.readFile('acme/shop', zoneValuesPath('shop', ref.zone), 'main')).toBeUndefined();
});
