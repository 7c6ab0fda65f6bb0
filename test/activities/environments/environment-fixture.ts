import { MockActivityEnvironment } from '@temporalio/testing';
import { createEnvironmentActivities } from '../../../activities/environments/environment-activities.ts';
import { wrapActivities } from '../../../activities/wrap-activities.ts';
import { loadConfig } from '../../../src/config.ts';
import type { Codehost } from '../../../src/integrations/codehost/codehost.ts';
import type { WorkloadClusters } from '../../../src/integrations/telemetry/zone-cluster.ts';
import { octokitCodehost } from '../../../src/integrations/codehost/octokit.ts';
import { OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import { ProductKind, type ZoneSpec } from '../../../src/rules/products/kinds.ts';
import { ReleaseKind } from '../../../src/rules/releases/kinds.ts';
import { openTestStore } from '../../support/open-test-store.ts';
import { startShopFixture } from '../../emulators/codehost/codehost-fixture.ts';
import { buildDomainSettings } from '../../support/start-api.ts';
import { trustingJudge } from '../../support/trusting-judge.ts';
import { buildWorkloadClusters } from '../../support/workload-clusters.ts';

export const namespace = 'org-acme';
export const ref = { org: 'acme', product: 'shop', zone: 'shop-prod' };
export const release = 'shop-v0.1.0';
const zoneChart = { 'Chart.yaml': 'apiVersion: v2\nname: zone\nversion: 0.1.0\n' };

type HarnessOptions = {
  zone?: Partial<ZoneSpec>;
  site?: string;
  service?: string;
  codehost?: Codehost;
  workloadClusters?: WorkloadClusters;
};

export async function createHarness({
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

export async function connectCodehost(): Promise<Codehost> {
  const { codehost, app } = await startShopFixture();
  return octokitCodehost({
    apiUrl: codehost.apiUrl,
    throttle: false,
    findCredentials: async () => ({ appId: String(app.id), privateKey: app.pem, account: 'acme', version: '1' }),
  });
}

export const promotion = { ...ref, release, version: 'v0.1.0', commit: 'c1', digest: 'sha256:1' };
