import { Client } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { inject, onTestFinished } from 'vitest';
import { atBoundary } from '../../../activities/at-boundary.ts';
import { createCatalogActivities } from '../../../activities/catalog.ts';
import { createEnvironmentActivities } from '../../../activities/environments.ts';
import type { Blobs } from '../../../src/integrations/blobs/blobs.ts';
import type { OrgCodehost } from '../../../src/integrations/codehost/codehost.ts';
import { octokitCodehost } from '../../../src/integrations/codehost/octokit.ts';
import { loadConfig } from '../../../src/config.ts';
import { codehostCredentials } from '../../../src/main/codehost-credentials.ts';
import { workerNames } from '../../../src/main/worker-names.ts';
import { workflowBundle } from '../../../src/main/workflow-bundle.ts';
import { zoneChart } from '../../../src/main/zone-chart.ts';
import { zoneClaim } from '../../../src/rules/catalog/claims.ts';
import { OrganizationKind, ProductKind, type ZoneSpec } from '../../../src/rules/catalog/kinds.ts';
import { ConfigMapKind, SecretKind } from '../../../src/rules/core-kinds.ts';
import type { ChartFiles } from '../../../src/rules/environments/zone-chart.ts';
import { ReleaseKind, type ReleaseZone } from '../../../src/rules/releases/kinds.ts';
import { orgNamespace, systemNamespace } from '../../../src/rules/resource.ts';
import type { Store } from '../../../src/store/store.ts';
import { deleteProductId } from '../../../workflows/catalog/messages.ts';
import * as messages from '../../../workflows/environments/messages.ts';
import { aCodehost, anApp } from '../../local/codehost/a-codehost.ts';
import { until } from '../../support/acme.ts';
import { apply } from '../control-plane/kubectl.ts';
import { startSites } from '../on-cluster.ts';
import { openClusterStore } from '../open-cluster-store.ts';
import { repositoryCredentials } from './settings.ts';

// Failures are what many tests are about.
Runtime.install({ logger: new DefaultLogger('ERROR') });

const cluster = inject('cluster');
const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** The chart as it is, but whose rollouts give up within seconds. */
export const hastyChart = async (): Promise<ChartFiles> => {
  const chart = await zoneChart(loadConfig({}));
  const values = chart['values.yaml']?.replace('progressDeadlineSeconds: 300', 'progressDeadlineSeconds: 4');
  return { ...chart, 'values.yaml': values ?? '' };
};

/** An org of its own whose zones are kept by the real workflows and activities, in the cluster that the run has. */
export async function aDelivery({
  chart,
  settleMs = 300,
  onMerged = async () => {},
}: {
  chart?: ChartFiles;
  settleMs?: number;
  /** Told of each merge before the service goes on from it. */
  onMerged?: (host: OrgCodehost) => Promise<void>;
} = {}) {
  const org = `t${crypto.randomUUID().slice(0, 8)}`;
  const namespace = orgNamespace(org);
  const store = await openClusterStore(cluster);
  onTestFinished(async () => await store.close());
  const codehost = await aCodehost();
  const { app } = await anApp(codehost, { org });
  await store.create(OrganizationKind, {
    metadata: { namespace: systemNamespace, name: org },
    spec: { codehostAccount: org, gitopsRepo: `${org}/gitops` },
  });
  await store.create(SecretKind, {
    metadata: { namespace, name: 'codehost-app' },
    data: { 'app-id': base64(String(app.id)), 'private-key': base64(app.pem) },
  });
  await apply(cluster, [repositoryCredentials(`repos-of-${org}`, { url: codehost.url, token: codehost.userToken })]);
  const { port: sites, close } = await startSites();
  onTestFinished(close);
  const octokit = octokitCodehost({
    apiUrl: codehost.apiUrl,
    credentialsOf: codehostCredentials(store),
    throttle: false,
  });
  const deps = {
    store,
    codehost: {
      forOrg: async (name: string): Promise<OrgCodehost> => {
        const real = await octokit.forOrg(name);
        const merge: OrgCodehost['merge'] = async (repo, pull) => {
          const outcome = await real.merge(repo, pull);
          if (outcome.outcome === 'merged') await onMerged(real);
          return outcome;
        };
        return { ...real, merge };
      },
    },
    blobs: { deleteAll: async () => {} } as unknown as Blobs,
    domains: { platformDomain: 'localhost' },
    zoneAddress: (zone: string) => `http://${zone}.localhost:${sites}`,
    zoneService: (product: string, zone: string) => `http://${product}.${zone}.localhost:${sites}`,
    imageRepository: (owner: string, product: string) => `registry.local/${owner}/${product}`,
    zoneChart: chart ?? (await zoneChart(loadConfig({}))),
    settleMs,
    now: () => new Date(),
  };
  const worker = await aWorker(deps);
  const host = await octokit.forOrg(org);
  return { org, namespace, store, codehost, host, ...worker, ...zonesOf({ org, namespace, store, ...worker }) };
}
export type Delivery = Awaited<ReturnType<typeof aDelivery>>;

type Deps = Parameters<typeof createEnvironmentActivities>[0] & Parameters<typeof createCatalogActivities>[0];

async function aWorker(deps: Deps) {
  const connection = await NativeConnection.connect({ address: inject('temporalAddress') ?? '' });
  const taskQueue = `cluster-${crypto.randomUUID()}`;
  const bundle = await workflowBundle(() => {});
  const start = async (chart: ChartFiles): Promise<() => Promise<void>> => {
    const worker = await Worker.create({
      connection,
      taskQueue,
      ...workerNames(bundle),
      workflowBundle: bundle,
      shutdownGraceTime: 0,
      maxHeartbeatThrottleInterval: 500,
      activities: {
        keepPlaceholder: async () => {},
        ...atBoundary({
          ...createEnvironmentActivities({ ...deps, zoneChart: chart }),
          ...createCatalogActivities(deps),
        }),
      },
    });
    const running = worker.run();
    return async () => {
      worker.shutdown();
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
    /** The worker of another version of the service takes over. */
    async update(chart: ChartFiles): Promise<void> {
      await stop();
      stop = await start(chart);
    },
  };
}

type Arrival = { version: string; digest: string };
type Org = { org: string; namespace: string; store: Store; client: Client; taskQueue: string };

function zonesOf({ org, namespace, store, client, taskQueue }: Org) {
  const releaseName = (product: string, version: string): string => `${product}-${version}`;
  const keeperOf = (product: string, zone: string) => ({ org, product, zone, pace: { healthyWithinMs: 120_000 } });
  /** Has a Release arrive at the zone's door. */
  const arrive = async (product: string, zone: string, { version, digest }: Arrival): Promise<void> => {
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
    await client.workflow.signalWithStart('keepEnvironment', {
      taskQueue,
      workflowId: messages.keepEnvironmentId({ org, product, zone }),
      args: [keeperOf(product, zone)],
      signal: messages.arrive,
      signalArgs: [{ release: name, version, commit, digest, tell: '' }],
    });
  };
  /** Waits for a Release to be somewhere in a zone. */
  const zoneOf = async (
    product: string,
    zone: string,
    { version, phase, withinMs = 90_000 }: { version: string; phase: ReleaseZone['phase']; withinMs?: number },
  ): Promise<ReleaseZone> => {
    const ref = { namespace, name: releaseName(product, version) };
    const look = async (): Promise<ReleaseZone | undefined> =>
      (await store.get(ReleaseKind, ref)).status?.zones.find(({ name }) => name === zone);
    return (await until(look, (entry) => entry?.phase === phase, withinMs)) as ReleaseZone;
  };
  return {
    arrive,
    zoneOf,
    /** Has a Release arrive, and waits until it serves. */
    async bring(product: string, zone: string, release: Arrival): Promise<ReleaseZone> {
      await arrive(product, zone, release);
      return await zoneOf(product, zone, { version: release.version, phase: 'Verified' });
    },
    /** A Product whose names nobody else in the cluster has. */
    async createProduct(
      zones: Partial<ZoneSpec>[] = [{}],
    ): Promise<{ product: string; zone: string; zones: string[] }> {
      const product = `p${crypto.randomUUID().slice(0, 8)}`;
      const named = zones.map((zone, index) => {
        const name = `${product}-${['rc', 'prod'][index] ?? index}`;
        return { name, arrival: 'automatic' as const, verify: { withinSeconds: 5 }, ...zone };
      });
      await store.create(ProductKind, {
        metadata: { namespace, name: product },
        spec: { repos: [], delivery: { zones: named } },
      });
      for (const { name } of named)
        await store.create(ConfigMapKind, {
          metadata: { namespace: systemNamespace, name: zoneClaim(name) },
          data: { org, product, at: new Date().toISOString() },
        });
      const [zone = '', ...others] = named.map(({ name }) => name);
      return { product, zone, zones: [zone, ...others] };
    },
    async deleteProduct(product: string): Promise<void> {
      const input = { org, product, by: 'ada' };
      await client.workflow.execute('deleteProduct', { taskQueue, workflowId: deleteProductId(input), args: [input] });
    },
    async remove(product: string, zone: string): Promise<void> {
      const { spec, ...found } = await store.get(ProductKind, { namespace, name: product });
      const zones = spec.delivery.zones.filter(({ name }) => name !== zone);
      await store.replace(ProductKind, { ...found, spec: { ...spec, delivery: { zones } } });
      await client.workflow
        .getHandle(messages.keepEnvironmentId({ org, product, zone }))
        .signal(messages.remove, { by: 'ada' });
    },
  };
}
