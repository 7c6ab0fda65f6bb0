import { mkdir } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Sandbox } from '../../integrations/sandbox/sandbox.ts';
import type { ZoneTelemetry } from '../../integrations/telemetry/zone-telemetry.ts';
import type { Store } from '../../store/store.ts';
import { removeStaleSocketFolders } from './app-connections.ts';
import { runBuilder } from './run-builder.ts';
import { ApplicationController } from './application-controller.ts';
import { findRepositoryCredentials } from './find-repository-credentials.ts';
import { openGitopsReader } from './gitops-reader.ts';
import type { OpenRegistry } from './install-packages.ts';
import { openImageStore } from './image-store.ts';
import { type ForwardAuth, createForwardAuth } from '../../gate/forward-auth.ts';
import { createCachePruner } from './prune-caches.ts';
import { pruneImages } from './prune-images.ts';
import { formatContainers, formatDeployments } from './describe-cluster.ts';
import { startPodNetwork } from './start-pod-network.ts';
import { startUsageSampler } from './usage-sampler.ts';
import { createRouter } from './router.ts';
import { openSyncedStateStore } from './synced-state-store.ts';
import { createZoneTelemetry } from './create-zone-telemetry.ts';
import { openUsageStore } from './usage-store.ts';
import { deleteStalePods } from './zone-objects.ts';
import { openZoneStorage } from './zone-storage.ts';
import { Zone } from './zone.ts';

export type ClusterOptions = {
  store: Store;
  sandbox: Sandbox;
  openRegistry: OpenRegistry;
  /** The folder of the machine's Go, if there is one. */
  goRoot?: string | undefined;
  dataDir: string;
  port: number;
  /** The port of the zones' Services, for clients inside the cluster. Defaults to a free port. */
  zoneServicePort?: number;
  /** The service that authorizes requests to zones that require sign-in. */
  forwardAuth?: { serviceUrl: string; publicUrl: string };
  host?: string;
  /** The namespace of the AppProjects. */
  argoCdNamespace?: string;
  log: (line: string) => void;
  /** The interval of usage samples. */
  usageIntervalMs?: number;
};

/** Services of the cluster itself, whose metrics a client inside the cluster reads. */
export const clusterServices = {
  stateMetrics: 'kube-state-metrics.kube-system.svc',
  kubelet: 'kubelet.kube-system.svc',
};

export type Cluster = {
  /** The base URL of the router, which selects the zone by host name. */
  url: string;
  zoneUrl(zone: string): string;
  /** Returns the URL of a zone inside the cluster, which needs no sign-in. */
  zoneServiceUrl(product: string, zone: string): string;
  listImageDigests(): Promise<string[]>;
  /** Returns true once no zone can start the image. */
  isImageDeleted(digest: string): Promise<boolean>;
  telemetry: ZoneTelemetry;
  /** Opens a proxy into the network of pods to a caller that sends this Authorization header. */
  openPodNetwork(authorization: string): Promise<{ url: string; close(): Promise<void> }>;
  close(): Promise<void>;
};

/** Starts a builder, a deployment controller and a router that act on BuildRuns and Applications. */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const {
    store,
    sandbox,
    openRegistry,
    goRoot,
    dataDir,
    port,
    zoneServicePort = 0,
    forwardAuth,
    host = '127.0.0.1',
    log,
  } = options;
  const { usageIntervalMs = 15_000, argoCdNamespace = 'argocd' } = options;
  await mkdir(dataDir, { recursive: true });
  await Promise.all([deleteStalePods(store), removeStaleSocketFolders()]);
  const usage = openUsageStore(join(dataDir, 'usage.sqlite'));
  const images = await openImageStore(dataDir);
  const storage = await openZoneStorage({ store, dataDir, usage, log });
  const syncedStates = await openSyncedStateStore(join(dataDir, 'zones'));
  const controller = new ApplicationController({
    store,
    argoCdNamespace,
    log,
    gitops: await openGitopsReader(join(dataDir, 'gitops'), findRepositoryCredentials(store, argoCdNamespace)),
    syncedStates,
    createZone: (name, onChange) => new Zone({ sandbox, images, onChange, ...storage.forZone(name) }),
    deleteZoneData: storage.deleteZoneData,
  });
  const router = createZoneRouter(
    controller,
    forwardAuth && createForwardAuth({ ...forwardAuth, toOrigin: (host) => `http://${host}` }),
  );
  const services = createServiceRouter(controller);
  const listeningPort = await listen(router, port, host);
  const servicesPort = await listen(services, zoneServicePort, host);

  const stopping = new AbortController();
  // A replaced version runs until its requests are done.
  const listRunningDigests = (): string[] =>
    controller.zones.flatMap(({ zone }) => zone.health().images.map((image) => image.replace(/^.*@/, '')));
  const listUsedDigests = async () => [...(await syncedStates.listDigests()), ...listRunningDigests()];
  const caches = {
    npmCacheDir: join(dataDir, 'npm-cache'),
    managersDir: join(dataDir, 'package-managers'),
    goCacheDir: join(dataDir, 'go-cache'),
  };
  const pruneCaches = createCachePruner(Object.values(caches));
  const build = {
    store,
    sandbox,
    openRegistry,
    images,
    goRoot,
    ...caches,
    log,
    async prune() {
      await pruneImages({ store, images, listUsedDigests });
      await pruneCaches();
    },
  };
  const controllers = Promise.all([runBuilder(build, stopping.signal), controller.run(stopping.signal)]);
  const sampler = startUsageSampler(usage, { zones: () => controller.zones, intervalMs: usageIntervalMs, log });
  return {
    url: `http://localhost:${listeningPort}`,
    zoneUrl: (zone) => `http://${zone}.localhost:${listeningPort}`,
    zoneServiceUrl: (product, zone) => `http://${product}.${zone}.svc.localhost:${servicesPort}`,
    listImageDigests: images.listDigests,
    isImageDeleted: async (digest) => (await images.find(digest)) === undefined,
    telemetry: createZoneTelemetry({
      logFile: storage.logFile,
      listPods: (zone) => controller.findZone(zone)?.pods ?? [],
      usage,
    }),
    openPodNetwork: async (authorization) =>
      await startPodNetwork({
        authorization,
        findInstance: ({ namespace, name }) =>
          controller.findZone(namespace)?.pods.find((pod) => pod.name === name)?.instance,
        services: {
          [clusterServices.stateMetrics]: async () => await formatDeployments(controller.zones),
          [clusterServices.kubelet]: async () => await formatContainers(controller.zones),
        },
      }),
    async close() {
      stopping.abort();
      router.close();
      services.close();
      await controllers;
      await sampler.stop();
      usage.close();
      router.closeAllConnections();
      services.closeAllConnections();
    },
  };
}

function createZoneRouter(controller: ApplicationController, auth: ForwardAuth | undefined): Server {
  return createRouter((hostName) => {
    const found = controller.findZoneByHost(hostName);
    if (!found) return undefined;
    const { name, zone } = found;
    // Without forward auth, a zone that requires sign-in is closed.
    if (zone.access === 'signed-in' && !auth) return { nextInstance: () => undefined };
    return {
      nextInstance: () => zone.nextInstance(),
      ...(zone.access === 'signed-in' && auth ? { forwardAuth: { auth, zone: name } } : {}),
    };
  });
}

/** Clients inside the cluster reach a zone's Service as `<product>.<zone>.svc.localhost`, and by no other host. */
const createServiceRouter = (controller: ApplicationController): Server =>
  createRouter(
    (hostName) => {
      const zone = controller.findZone(hostName.split('.')[1] ?? '');
      return zone && { nextInstance: () => zone.nextInstance() };
    },
    (hostName) => /^[a-z0-9-]+\.[a-z0-9-]+\.svc\.localhost$/.test(hostName),
  );

async function listen(router: Server, port: number, host: string): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    router.once('error', (error: NodeJS.ErrnoException) => {
      const isTaken = error.code === 'EADDRINUSE';
      reject(
        isTaken
          ? new Error(`Port ${port}, for the zones' addresses, is in use. Stop what uses it, or pass another --port.`)
          : error,
      );
    });
    router.listen(port, host, resolve);
  });
  return (router.address() as AddressInfo).port;
}
