import { CancelledFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { createEnvironmentActivities } from '../../../activities/environments/environment-activities.ts';
import { wrapActivities } from '../../../activities/wrap-activities.ts';
import { loadConfig } from '../../../src/config.ts';
import { ServiceError } from '../../../src/errors.ts';
import type { Codehost } from '../../../src/integrations/codehost/codehost.ts';
import type { WorkloadClusters, ZoneCluster } from '../../../src/integrations/telemetry/zone-cluster.ts';
import { octokitCodehost } from '../../../src/integrations/codehost/octokit.ts';
import {
  NamespaceKind,
  NetworkPolicyKind,
  PodKind,
  readSecretText,
  SecretKind,
} from '../../../src/kinds/kubernetes.ts';
import { ApplicationKind, refreshAnnotation } from '../../../src/kinds/argo-cd.ts';
import { DomainKind, type DomainStatus } from '../../../src/rules/domains/kinds.ts';
import { zoneNamespaceLabels } from '../../../src/rules/environments/zone-namespace.ts';
import { chartPath, zoneValuesPath } from '../../../src/rules/environments/zone-values.ts';
import { InstallationKind, installationRef } from '../../../src/rules/installation/kinds.ts';
import { OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import { ProductKind, type ZoneSpec } from '../../../src/rules/products/kinds.ts';
import { registriesSecretName, toRegistriesData } from '../../../src/rules/registries/registries-secret.ts';
import { ReleaseKind } from '../../../src/rules/releases/kinds.ts';
import { connectShop } from '../../integrations/codehost/shop-codehost.ts';
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

it('writes nothing into the namespace of another owner', async () => {
  const codehost = await connectCodehost();
  const { activities, run, store, readZoneStatus } = await createHarness({ codehost });
  await store.create(NamespaceKind, { metadata: { namespace: '', name: ref.zone } });
  await expect(run(activities.writePromotion, promotion)).rejects.toMatchObject({ type: 'namespace-taken' });
  const host = await codehost.forOrg('acme');
  expect(await host.readFile('acme/shop', zoneValuesPath('shop', ref.zone), 'main')).toBeUndefined();
  expect(await readZoneStatus()).toBeUndefined();
});

it('prepares the namespace, the project and its credentials before the Application', async () => {
  const codehost = await connectCodehost();
  const { activities, run, store } = await createHarness({ codehost });
  const created: string[] = [];
  const { create, put } = store;
  vi.spyOn(store, 'create').mockImplementation(async (kind, object) => {
    const found = await create(kind, object);
    created.push(kind.kind);
    return found;
  });
  vi.spyOn(store, 'put').mockImplementation(async (kind, object) => {
    const found = await put(kind, object);
    created.push(`${kind.kind} ${object.metadata.namespace}`);
    return found;
  });
  await run(activities.writePromotion, promotion);
  expect(created.filter((kind) => kind !== 'NetworkPolicy')).toEqual([
    'Namespace',
    'Secret shop-prod',
    'AppProject',
    'Secret argocd',
    'Application',
  ]);
  const application = await store.get(ApplicationKind, { namespace, name: ref.zone });
  expect(application.metadata.annotations?.[refreshAnnotation]).toBe('normal');
});

it('leaves the namespace of a zone in a workload cluster to that cluster', async () => {
  const codehost = await connectCodehost();
  const { activities, run, store } = await createHarness({ codehost, zone: { cluster: 'apart' } });
  await run(activities.writePromotion, promotion);
  expect((await store.list(NamespaceKind)).items).toEqual([]);
  const { spec } = await store.get(ApplicationKind, { namespace, name: ref.zone });
  expect(spec.destination).toEqual({ name: 'apart', namespace: ref.zone });
});

it('writes settings again that changed meanwhile', async () => {
  const codehost = await connectCodehost();
  let isChanged = false;
  const changing: Codehost = {
    forOrg: async (org) => {
      const host = await codehost.forOrg(org);
      const mergePullRequest: typeof host.mergePullRequest = async (...input) => {
        const merged = await host.mergePullRequest(...input);
        if (isChanged) return merged;
        isChanged = true;
        const product = await harness.store.get(ProductKind, { namespace, name: 'shop' });
        const zones = product.spec.delivery.zones.map((zone) => ({ ...zone, replicas: 3 }));
        await harness.store.replace(ProductKind, { ...product, spec: { ...product.spec, delivery: { zones } } });
        return merged;
      };
      return { ...host, mergePullRequest };
    },
  };
  const harness = await createHarness({ codehost: changing });
  await harness.run(harness.activities.writePromotion, promotion);
  const host = await codehost.forOrg('acme');
  expect(await host.readFile('acme/shop', zoneValuesPath('shop', ref.zone), 'main')).toContain('replicas: 3');
  expect((await harness.readZoneStatus())?.appliedSettings?.replicas).toBe(3);
});

it('deploys nothing as long as the rules of the gitops repo block the merge', async () => {
  const { codehost, requestAsUser } = await connectShop();
  const { activities, run, store, readZoneStatus } = await createHarness({ codehost });
  await requestAsUser('PUT', '/repos/acme/shop/branches/main/protection', {
    required_status_checks: { strict: false, contexts: ['ci'] },
  });
  expect(await run(activities.writePromotion, promotion)).toMatchObject({ outcome: 'blocked' });
  expect(await run(activities.writeZoneSettings, { ...ref, generation: 1 })).toMatchObject({ outcome: 'blocked' });
  expect(await readZoneStatus()).toBeUndefined();
  expect(await store.find(ApplicationKind, { namespace, name: ref.zone })).toBeUndefined();
});

it('patches the state of a zone', async () => {
  const { activities, run, readZoneStatus } = await createHarness();
  const freeze = { by: 'ada', since: '2026-01-01T00:00:00.000Z', reason: 'Holidays' };
  await run(activities.recordZoneState, { ...ref, patch: { freeze } });
  expect(await readZoneStatus()).toEqual({ name: ref.zone, freeze });
  await run(activities.recordZoneState, { ...ref, patch: { freeze: null } });
  expect(await readZoneStatus()).toEqual({ name: ref.zone });
});

it('reads a zone that needs no approval, and one that is gone', async () => {
  const { activities, run } = await createHarness({ zone: { promotionPolicy: 'automatic' } });
  const nothing = { requiresApproval: false, running: undefined };
  expect(await run(activities.readZone, ref)).toEqual(nothing);
  expect(await run(activities.readZone, { ...ref, zone: 'gone' })).toEqual(nothing);
  expect(await run(activities.readZone, { ...ref, product: 'gone' })).toEqual(nothing);
  expect(await run(activities.isZoneDesired, ref)).toBe(true);
  expect(await run(activities.isZoneDesired, { ...ref, zone: 'gone' })).toBe(false);
});

it('removes the chart of a Product, and does without when the gitops repo is gone', async () => {
  const codehost = await connectCodehost();
  const { activities, run } = await createHarness({ codehost });
  await run(activities.writePromotion, promotion);
  const host = await codehost.forOrg('acme');
  expect(await host.listFiles('acme/shop', chartPath('shop'), 'main')).not.toEqual([]);
  for (let time = 0; time < 2; time += 1) await run(activities.removeProductChart, { org: 'acme', product: 'shop' });
  expect(await host.listFiles('acme/shop', chartPath('shop'), 'main')).toEqual([]);
  const forOrg = async () => await Promise.reject(new ServiceError('not-found', 'The repo is gone.'));
  const without = await createHarness({ codehost: { forOrg } });
  await without.run(without.activities.removeProductChart, { org: 'acme', product: 'shop' });
});

describe('waitForZoneHealth', () => {
  const application = { namespace, name: ref.zone };
  const later = new Date(Date.now() + 60_000).toISOString();

  /** Promotes the Release, and returns what the controller reports about it. */
  async function promote({ zone = {}, clusters = {} as Record<string, ZoneCluster> } = {}) {
    const codehost = await connectCodehost();
    const workloadClusters = buildWorkloadClusters(clusters);
    const harness = await createHarness({ codehost, zone, workloadClusters });
    const promoted = await harness.run(harness.activities.writePromotion, promotion);
    if (promoted.outcome !== 'promoted') throw new Error(promoted.message);
    const { gitopsCommit, mergedAt } = promoted;
    const report = async (health: 'Healthy' | 'Progressing' | 'Degraded', digest = 'sha256:1') =>
      await harness.store.updateStatus(ApplicationKind, application, () => ({
        sync: { status: 'Synced' as const, revision: gitopsCommit },
        operationState: { phase: 'Succeeded' as const, startedAt: later, finishedAt: later },
        reconciledAt: later,
        health: { status: health },
        summary: { images: [`registry/shop@${digest}`] },
      }));
    const environment = new MockActivityEnvironment();
    const input = { ...ref, digest: 'sha256:1', gitopsCommit, mergedAt, timeoutMs: 60_000 };
    const wait = async (): Promise<unknown> =>
      await environment.run(harness.activities.waitForZoneHealth, input).catch((error: unknown) => error);
    const readApplication = async () => await harness.store.find(ApplicationKind, application);
    const removeApplication = async () => {
      const found = await harness.store.get(ApplicationKind, application);
      await harness.store.replace(ApplicationKind, { ...found, metadata: { ...found.metadata, finalizers: [] } });
      await harness.store.delete(ApplicationKind, application);
    };
    return { ...harness, report, wait, environment, readApplication, removeApplication };
  }

  it('returns once the controller runs the image of the promotion, and notes that it reads the repo', async () => {
    const { report, wait, store } = await promote();
    await report('Healthy', 'sha256:0');
    const waiting = wait();
    await expect
      .poll(async () => (await store.get(ProductKind, { namespace, name: 'shop' })).status?.conditions)
      .toMatchObject([{ type: 'GitopsRepoReadable', status: 'True' }]);
    await report('Healthy');
    expect(await waiting).toEqual({ outcome: 'healthy', healthyAt: expect.any(String) });
  });

  it('needs no image in a zone without replicas', async () => {
    const { report, wait } = await promote({ zone: { replicas: 0 } });
    await report('Healthy', 'sha256:0');
    expect(await wait()).toMatchObject({ outcome: 'healthy' });
  });

  it.each([
    [undefined, 'the app is degraded: No node can run the pod: no memory'],
    ['apart', 'the app is degraded: No node can run the pod: no memory'],
    ['unknown', 'the app is degraded'],
  ])('explains a degraded app by its pod, where it runs: %s', async (cluster, message) => {
    const objects = openTestStore();
    const { report, wait, store } = await promote({
      zone: cluster === undefined ? {} : { cluster },
      clusters: { apart: { objects } as unknown as ZoneCluster },
    });
    const { uid } = (await store.get(ProductKind, { namespace, name: 'shop' })).metadata;
    if (cluster !== undefined)
      await objects.create(NamespaceKind, {
        metadata: { namespace: '', name: ref.zone, labels: zoneNamespaceLabels({ ...ref, uid }) },
      });
    const pod = { namespace: ref.zone, name: 'shop-1' };
    const scheduled = { type: 'PodScheduled', status: 'False', message: 'no memory' };
    const runsIn = cluster === undefined ? store : objects;
    await runsIn.create(PodKind, { metadata: pod, spec: { containers: [] } } as never);
    await runsIn.updateStatus(PodKind, pod, () => ({ phase: 'Pending', conditions: [scheduled] }) as never);
    await report('Progressing');
    const waiting = wait();
    await expect
      .poll(async () => (await store.get(ProductKind, { namespace, name: 'shop' })).status?.conditions)
      .toBeDefined();
    await report('Degraded');
    expect(await waiting).toEqual({ outcome: 'failed', message });
  });

  it('creates an Application again that a person has deleted, as long as the zone is in the spec', async () => {
    const { report, wait, environment, readApplication, removeApplication, store } = await promote();
    const { uid } = (await readApplication())?.metadata ?? {};
    const waiting = wait();
    await expect.poll(async () => (await readApplication())?.metadata.annotations).toBeDefined();
    await removeApplication();
    await expect.poll(async () => (await readApplication())?.metadata.uid ?? uid).not.toBe(uid);
    await report('Healthy');
    expect(await waiting).toMatchObject({ outcome: 'healthy' });

    const again = wait();
    const product = await store.get(ProductKind, { namespace, name: 'shop' });
    await store.replace(ProductKind, { ...product, spec: { ...product.spec, delivery: { zones: [] } } });
    await removeApplication();
    await pause(50);
    expect(await readApplication()).toBeUndefined();
    environment.cancel('CANCELLED');
    expect(await again).toBeInstanceOf(CancelledFailure);
  });
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
