import { mkdir } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Sandbox } from '../../integrations/sandbox/sandbox.ts';
import type { ZoneTelemetry } from '../../integrations/telemetry/zone-telemetry.ts';
import type { Store } from '../../store/store.ts';
import { runBuilder } from './builder.ts';
import { Controller } from './controller.ts';
import type { CredentialsFor } from './git.ts';
import { openGitopsReader } from './gitops-repo.ts';
import { openImageStore } from './image-store.ts';
import { createGate } from './gate.ts';
import { measure } from './measure.ts';
import { createRouter } from './router.ts';
import { openSyncedStates } from './synced-state.ts';
import { localTelemetry } from './telemetry.ts';
import { openUsage } from './usage.ts';
import { deleteStalePods } from './zone-objects.ts';
import { openZonePlaces } from './zone-places.ts';
import { Zone } from './zone.ts';

export type ClusterOptions = {
  store: Store;
  sandbox: Sandbox;
  dataDir: string;
  port: number;
  /** Where zones' Services answer, for what is inside; any free one when absent. */
  servicePort?: number;
  /** Where the service answers, which knows who may open zones for people signed in. */
  service?: { serviceUrl: string; publicUrl: string };
  host?: string;
  log: (line: string) => void;
  /** How often it is measured what pods use. */
  measureEveryMs?: number;
  credentialsFor?: CredentialsFor;
};

export type Cluster = {
  /** Where the router listens; it tells zones apart by host name. */
  url: string;
  zoneUrl(zone: string): string;
  /** Where what is inside the cluster reaches a zone, whoever may open it from outside. */
  serviceUrl(product: string, zone: string): string;
  imageDigests(): Promise<string[]>;
  telemetry: ZoneTelemetry;
  close(): Promise<void>;
};

/** A builder, a deployment controller and a router that act on BuildRuns and Applications as the real ones do. */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const { store, sandbox, dataDir, port, servicePort = 0, service, host = '127.0.0.1', log } = options;
  const { credentialsFor = async () => undefined, measureEveryMs = 15_000 } = options;
  await mkdir(dataDir, { recursive: true });
  await deleteStalePods(store);
  const usage = openUsage(join(dataDir, 'usage.sqlite'));
  const images = await openImageStore(dataDir);
  const places = await openZonePlaces({ store, dataDir, usage, log });
  const controller = new Controller({
    store,
    log,
    gitops: await openGitopsReader(join(dataDir, 'gitops'), credentialsFor),
    states: await openSyncedStates(join(dataDir, 'zones')),
    createZone: (name, onChange) => new Zone({ sandbox, images, onChange, ...places.of(name) }),
    clearZone: places.clear,
  });
  const gate = service && createGate(service);
  const router = createRouter((wanted) => {
    const found = controller.zoneAt(wanted);
    if (!found) return undefined;
    const { name, zone } = found;
    // Where nobody can be asked who may come in, nobody does.
    if (zone.access === 'signed-in' && !gate) return { next: () => undefined };
    return { next: () => zone.next(), ...(zone.access === 'signed-in' && gate ? { gated: { gate, zone: name } } : {}) };
  });
  // A zone's Service, as what is inside a cluster reaches it: <product>.<zone>.svc.localhost.
  const services = createRouter((wanted) => {
    const zone = controller.zoneNamed(wanted.split('.')[1] ?? '');
    return zone && { next: () => zone.next() };
  });
  const listeningPort = await listen(router, port, host);
  const servicesPort = await listen(services, servicePort, host);

  const stopping = new AbortController();
  const build = { store, sandbox, images, npmCacheDir: join(dataDir, 'npm-cache'), credentialsFor, log };
  const working = Promise.all([runBuilder(build, stopping.signal), controller.run(stopping.signal)]);
  const measuring = measure(usage, { zones: () => controller.zones, everyMs: measureEveryMs, log });
  return {
    url: `http://localhost:${listeningPort}`,
    zoneUrl: (zone) => `http://${zone}.localhost:${listeningPort}`,
    serviceUrl: (product, zone) => `http://${product}.${zone}.svc.localhost:${servicesPort}`,
    imageDigests: images.digests,
    telemetry: localTelemetry({
      logFile: places.logFile,
      podsOf: (zone) => controller.zoneNamed(zone)?.pods ?? [],
      usage,
    }),
    async close() {
      stopping.abort();
      router.close();
      services.close();
      await working;
      await measuring.stop();
      usage.close();
      router.closeAllConnections();
      services.closeAllConnections();
    },
  };
}

async function listen(router: Server, port: number, host: string): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    router.once('error', (error: NodeJS.ErrnoException) => {
      const isTaken = error.code === 'EADDRINUSE';
      reject(
        isTaken
          ? new Error(
              `Port ${port}, for the environments' addresses, is in use. Stop what uses it, or pass another --port.`,
            )
          : error,
      );
    });
    router.listen(port, host, resolve);
  });
  return (router.address() as AddressInfo).port;
}
