import { Client } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import { inject, onTestFinished } from 'vitest';
import { wrapActivities } from '../../../activities/wrap-activities.ts';
import { replaceSpec } from '../../../api/http/replace-spec.ts';
import { createProductActivities } from '../../../activities/products/product-activities.ts';
import { createEnvironmentActivities } from '../../../activities/environments/environment-activities.ts';
import { directoryBlobs } from '../../../src/integrations/blobs/directory.ts';
import type { OrgCodehost } from '../../../src/integrations/codehost/codehost.ts';
import { octokitCodehost } from '../../../src/integrations/codehost/octokit.ts';
import { loadConfig } from '../../../src/config.ts';
import { findCodehostCredentials } from '../../../src/main/wiring/find-codehost-credentials.ts';
import { createTaskWorkers } from '../../../src/main/worker/create-task-workers.ts';
import { createWorkerIdentity } from '../../../src/main/worker/worker-identity.ts';
import { buildWorkflowBundle } from '../../../src/main/worker/build-workflow-bundle.ts';
import type { WorkloadClusters } from '../../../src/integrations/telemetry/zone-cluster.ts';
import { loadZoneChart } from '../../../src/main/wiring/load-zone-chart.ts';
import { zoneReservationName } from '../../../src/rules/products/reservations.ts';
import { OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import { environmentsFinalizer, ProductKind, type ZoneSpec } from '../../../src/rules/products/kinds.ts';
import { ConfigMapKind, SecretKind } from '../../../src/kinds/kubernetes.ts';
import type { ChartFiles } from '../../../src/rules/environments/zone-chart.ts';
import { ReleaseKind, type ReleaseZone } from '../../../src/rules/releases/kinds.ts';
import { orgNamespace, systemNamespace } from '../../../src/rules/resource.ts';
import type { Store } from '../../../src/store/store.ts';
import { deleteProductStart } from '../../../workflows/products/messages.ts';
import * as messages from '../../../workflows/environments/messages.ts';
import { startTestCodehost, registerApp } from '../../emulators/codehost/codehost-fixture.ts';
import { waitUntil } from '../../support/platform/wait-until.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';
import { startZoneSites } from '../cluster-backend.ts';
import { openClusterStore } from '../open-cluster-store.ts';
import { buildDomainSettings } from '../../support/start-api.ts';
import { trustingJudge } from '../../support/trusting-judge.ts';
import { buildWorkloadClusters } from '../../support/workload-clusters.ts';

// Many tests cause failures on purpose, which the SDK would log as warnings.
Runtime.install({ logger: new DefaultLogger('ERROR') });

const cluster = inject('cluster');
const toBase64 = (text: string): string => Buffer.from(text).toString('base64');

/** Loads the chart with other values. */
export async function loadChart(replaced: Record<string, string>): Promise<ChartFiles> {
  const chart = await loadZoneChart(loadConfig({}));
  let values = chart['values.yaml'] ?? '';
  for (const [from, to] of Object.entries(replaced)) values = values.replace(from, to);
  return { ...chart, 'values.yaml': values };
}

/** Loads the chart with a deadline of a few seconds for rollouts. */
export const loadFastFailingChart = async (): Promise<ChartFiles> =>
  await loadChart({ 'progressDeadlineSeconds: 300': 'progressDeadlineSeconds: 4' });

/** Creates an org whose zones are managed by the real workflows and activities in the shared cluster. */
export async function startDeliveryHarness({
  chart,
  healthRecheckDelayMs = 300,
  onMerged = async () => {},
  connectClusters = () => buildWorkloadClusters({}),
}: {
  chart?: ChartFiles;
  healthRecheckDelayMs?: number;
  /** Called after each merge, before the service continues. */
  onMerged?: (host: OrgCodehost) => Promise<void>;
  connectClusters?: (store: Store) => WorkloadClusters;
} = {}) {
  const org = `t${crypto.randomUUID().slice(0, 8)}`;
  const namespace = orgNamespace(org);
  const store = await openClusterStore(cluster);
  onTestFinished(async () => await store.close());
  const codehost = await startTestCodehost();
  const { app } = await registerApp(codehost, { org });
  await store.create(OrganizationKind, {
    metadata: { namespace: systemNamespace, name: org },
    spec: { codehostAccount: org, gitopsRepo: `${org}/gitops` },
  });
  await store.create(SecretKind, {
    metadata: { namespace, name: 'codehost-app' },
    data: { 'app-id': toBase64(String(app.id)), 'private-key': toBase64(app.pem) },
  });
  const { port: sitesPort, close } = await startZoneSites();
  onTestFinished(close);
  const octokit = octokitCodehost({
    apiUrl: codehost.apiUrl,
    findCredentials: findCodehostCredentials(store),
    throttle: false,
  });
  const deps = {
    store,
    codehost: {
      forOrg: async (name: string): Promise<OrgCodehost> => {
        const real = await octokit.forOrg(name);
        const merge: OrgCodehost['mergePullRequest'] = async (repo, pull) => {
          const outcome = await real.mergePullRequest(repo, pull);
          if (outcome.outcome === 'merged') await onMerged(real);
          return outcome;
        };
        return { ...real, mergePullRequest: merge };
      },
    },
    blobs: directoryBlobs(await createScratchFolder()),
    domains: buildDomainSettings({ platformDomain: 'localhost' }),
    zoneAddress: (zone: string) => `http://${zone}.localhost:${sitesPort}`,
    allowedInside: [],
    zoneService: (product: string, zone: string) => `http://${product}.${zone}.localhost:${sitesPort}`,
    imageRepository: (owner: string, product: string) => `registry.local/${owner}/${product}`,
    zoneChart: chart ?? (await loadZoneChart(loadConfig({}))),
    registry: { push: undefined, pull: undefined },
    workloadClusters: connectClusters(store),
    argoCdNamespace: 'argocd',
    network: loadConfig({}).network,
    healthRecheckDelayMs,
    decisions: trustingJudge,
    now: () => new Date(),
  };
  const worker = await startDeliveryWorker(deps);
  const host = await octokit.forOrg(org);
  return {
    org,
    namespace,
    store,
    codehost,
    host,
    zoneAddress: deps.zoneAddress,
    workloadClusters: deps.workloadClusters,
    ...worker,
    ...createZoneDriver({ org, namespace, store, ...worker }),
  };
}
export type DeliveryHarness = Awaited<ReturnType<typeof startDeliveryHarness>>;

type DeliveryDeps = Parameters<typeof createEnvironmentActivities>[0] & Parameters<typeof createProductActivities>[0];

async function startDeliveryWorker(deps: DeliveryDeps) {
  const connection = await NativeConnection.connect({ address: inject('temporalAddress') ?? '' });
  const taskQueue = `cluster-${crypto.randomUUID()}`;
  const bundle = await buildWorkflowBundle(() => {});
  const start = async (chart: ChartFiles): Promise<() => Promise<void>> => {
    const common = {
      connection,
      ...createWorkerIdentity(bundle),
      shutdownGraceTime: 0,
      maxHeartbeatThrottleInterval: 500,
    };
    const workers = await createTaskWorkers(common, {
      queues: ['workflows', 'activities'],
      taskQueue,
      workflowBundle: bundle,
      activities: {
        saveScreenshotPlaceholder: async () => {},
        ...wrapActivities({
          ...createEnvironmentActivities({ ...deps, zoneChart: chart }),
          ...createProductActivities(deps),
        }),
      },
    });
    const running = Promise.all(workers.map(async (worker) => await worker.run()));
    return async () => {
      for (const worker of workers) worker.shutdown();
      await running;
    };
  };
  let stop = await start(deps.zoneChart);
  onTestFinished(async () => {
    await stop();
    await connection.close();
  });
  return {
    client: new Client({ connection }),
    taskQueue,
    /** Replaces the worker by one of another version of the service. */
    async updateService(chart: ChartFiles): Promise<void> {
      await stop();
      stop = await start(chart);
    },
  };
}

type ReleaseVersion = { version: string; digest: string };
type ZoneDriverOptions = { org: string; namespace: string; store: Store; client: Client; taskQueue: string };

function createZoneDriver({ org, namespace, store, client, taskQueue }: ZoneDriverOptions) {
  const releaseName = (product: string, version: string): string => `${product}-${version}`;
  /** Enqueues a Release in the zone. */
  const requestPromotion = async (
    product: string,
    zone: string,
    { version, digest }: ReleaseVersion,
  ): Promise<void> => {
    const name = releaseName(product, version);
    const commit = 'c'.repeat(40);
    if (!(await store.find(ReleaseKind, { namespace, name }))) {
      await store.create(ReleaseKind, {
        metadata: { namespace, name },
        spec: { product, repo: `${org}/app`, commit, version, startedBy: 'ada' },
      });
      await store.updateStatus(ReleaseKind, { namespace, name }, () => ({
        phase: 'Promoting' as const,
        digest,
        zones: [],
      }));
    }
    const { type, options } = messages.manageZoneStart({
      org,
      product,
      zone,
      // Longer than a test: no promotion fails by it.
      intervals: { healthyTimeoutMs: 600_000 },
    });
    await client.workflow.signalWithStart(type, {
      ...options,
      taskQueue,
      signal: messages.enqueueSignal,
      signalArgs: [{ release: name, version, commit, digest, replyToWorkflowId: 'promote-release/none' }],
    });
  };
  /** Waits until a Release has the phase in the zone. */
  const waitForZonePhase = async (
    product: string,
    zone: string,
    { version, phase, timeoutMs = 150_000 }: { version: string; phase: ReleaseZone['phase']; timeoutMs?: number },
  ): Promise<ReleaseZone> => {
    const ref = { namespace, name: releaseName(product, version) };
    const readZone = async (): Promise<ReleaseZone | undefined> =>
      (await store.get(ReleaseKind, ref)).status?.zones.find(({ name }) => name === zone);
    return (await waitUntil(readZone, (entry) => entry?.phase === phase, timeoutMs)) as ReleaseZone;
  };
  return {
    requestPromotion,
    waitForZonePhase,
    /** Promotes a Release and waits until it is verified. */
    async promoteAndVerify(product: string, zone: string, release: ReleaseVersion): Promise<ReleaseZone> {
      await requestPromotion(product, zone, release);
      return await waitForZonePhase(product, zone, { version: release.version, phase: 'Verified' });
    },
    /** Creates a Product with names that are unique in the cluster. */
    async createProduct(
      zones: Partial<ZoneSpec>[] = [{}],
    ): Promise<{ product: string; zone: string; zones: string[] }> {
      const product = `p${crypto.randomUUID().slice(0, 8)}`;
      const named = zones.map((zone, index) => {
        const name = `${product}-${['rc', 'prod'][index] ?? index}`;
        return { name, promotionPolicy: 'automatic' as const, verify: { timeoutSeconds: 5 }, ...zone };
      });
      await store.create(ProductKind, {
        metadata: { namespace, name: product, finalizers: [environmentsFinalizer] },
        spec: { repos: [], delivery: { zones: named } },
      });
      for (const { name } of named)
        await store.create(ConfigMapKind, {
          metadata: { namespace: systemNamespace, name: zoneReservationName(name) },
          data: { org, product, reservedAt: new Date().toISOString() },
        });
      const [zone = '', ...others] = named.map(({ name }) => name);
      return { product, zone, zones: [zone, ...others] };
    },
    async deleteProduct(product: string): Promise<void> {
      // The request to delete it is the proof that the workflow may remove its zones.
      await store.delete(ProductKind, { namespace, name: product });
      const { type, options } = deleteProductStart({ org, product, by: 'ada' });
      await client.workflow.execute(type, { ...options, taskQueue });
    },
    async removeZone(product: string, zone: string): Promise<void> {
      const ref = { namespace, name: product };
      const { spec } = await store.get(ProductKind, ref);
      const zones = spec.delivery.zones.filter(({ name }) => name !== zone);
      // The workflows write the Product's status meanwhile.
      await replaceSpec(store, ProductKind, { ref, spec: { ...spec, delivery: { zones } }, precondition: {} });
      await client.workflow
        .getHandle(messages.manageZoneId({ org, product, zone }))
        .signal(messages.removeZoneSignal, { by: 'ada' });
    },
  };
}
