import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiClient } from '../../../src/clients/api-client.ts';
import { startCluster } from '../../../src/emulators/cluster/start-cluster.ts';
import { type Codehost, startCodehost } from '../../../src/emulators/codehost/start-codehost.ts';
import { startModel } from '../../../src/emulators/model/start-model.ts';
import { sampleFolder } from '../../../src/main/platform/sample-folder.ts';
import { startTemporalServer } from '../../../src/main/temporal/start-temporal-server.ts';
import { readTemporalSettings } from '../../../src/main/temporal/read-temporal-settings.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import { type LoadBalancer, startLoadBalancer } from '../servers/load-balancer.ts';
import { openSession, signInAsRoot } from './test-platform.ts';
import { type Replica, startReplica } from './replica.ts';
import { openTestRegistry } from '../open-test-registry.ts';
import { createTestSandbox } from '../test-sandbox.ts';
import { registerCodehost } from './codehost-owners.ts';

type Closeable = { close(): Promise<void> };
type InstallationParts = {
  folder: string;
  balancer: LoadBalancer;
  codehost: Codehost;
  /** Registers a part to be closed with the installation. */
  closeOnStop: <T extends Closeable>(part: T) => T;
};
/** Starts the store and the cluster of an installation. Returns the environment variables that the service needs. */
export type StartBackend = (parts: InstallationParts) => Promise<Record<string, string>>;

/** Runs the service in several processes; the emulators of other systems run in the test's process. */
export class Installation {
  readonly folder: string;
  readonly environment: Record<string, string>;
  readonly #balancer: LoadBalancer;
  readonly #codehost: Codehost;
  readonly #cleanups: (() => Promise<void>)[];

  private constructor(
    folder: string,
    environment: Record<string, string>,
    { balancer, codehost, cleanups }: { balancer: LoadBalancer; codehost: Codehost; cleanups: (() => Promise<void>)[] },
  ) {
    this.folder = folder;
    this.environment = environment;
    this.#balancer = balancer;
    this.#codehost = codehost;
    this.#cleanups = cleanups;
  }

  static async start(
    temporalExecutable: string,
    startBackend: StartBackend = startLocalBackend,
  ): Promise<Installation> {
    const folder = await mkdtemp(join(tmpdir(), 'installation-'));
    const cleanups: (() => Promise<void>)[] = [];
    const closeOnStop = <T extends Closeable>(part: T): T => {
      cleanups.push(async () => await part.close());
      return part;
    };
    const balancer = closeOnStop(await startLoadBalancer());
    const temporal = closeOnStop(
      await startTemporalServer({
        executable: temporalExecutable,
        settings: await readTemporalSettings(),
        logFile: join(folder, 'temporal.log'),
        port: 0,
      }),
    );
    const codehost = closeOnStop(await startCodehost({ dataDir: join(folder, 'codehost'), port: 0 }));
    registerCodehost({ codehostUrl: codehost.url, codehostToken: async () => codehost.userToken });
    await codehost.seedRepository('acme/hello', sampleFolder, { isPrivate: true });
    const model = closeOnStop(await startModel({ port: 0 }));
    const environment = {
      ...(await startBackend({ folder, balancer, codehost, closeOnStop })),
      PUBLIC_URL: balancer.url,
      TEMPORAL_ADDRESS: temporal.address,
      CODEHOST_URL: codehost.url,
      CODEHOST_API_URL: codehost.apiUrl,
      CODEHOST_MANIFEST_TOKEN: codehost.userToken,
      CODEHOST_THROTTLE: 'false',
      INGRESS_ADDRESSES: '127.0.0.1',
      MODEL_BASE_URL: model.url,
      MODEL_NAME: 'scripted',
      MODEL_API_KEY: 'none',
    };
    return new Installation(folder, environment, { balancer, codehost, cleanups });
  }

  /** Starts an empty installation at the address of this one, with the same code host and model, as after a disaster. */
  async startEmpty(temporalExecutable: string): Promise<Installation> {
    const folder = await mkdtemp(join(tmpdir(), 'installation-'));
    const cleanups: (() => Promise<void>)[] = [];
    const closeOnStop = <T extends Closeable>(part: T): T => {
      cleanups.push(async () => await part.close());
      return part;
    };
    const settings = await readTemporalSettings();
    const logFile = join(folder, 'temporal.log');
    const temporal = closeOnStop(
      await startTemporalServer({ executable: temporalExecutable, settings, logFile, port: 0 }),
    );
    const parts = { folder, balancer: this.#balancer, codehost: this.#codehost, closeOnStop };
    const environment = {
      ...this.environment,
      ...(await startLocalBackend(parts)),
      TEMPORAL_ADDRESS: temporal.address,
    };
    return new Installation(folder, environment, { balancer: this.#balancer, codehost: this.#codehost, cleanups });
  }

  get codehostUrl(): string {
    return this.#codehost.url;
  }

  codehostToken = async (): Promise<string> => this.#codehost.userToken;

  zoneUrl(zone: string): string {
    return this.environment['ZONE_ADDRESS']?.replace('{zone}', zone) ?? '';
  }

  /** Starts an API process. The load balancer sends requests to it from the time it is ready until it ends. */
  async startApi(environment: Record<string, string> = {}): Promise<Replica> {
    const { backends } = this.#balancer;
    const replica = await startReplica('api', { DATA_DIR: this.folder, ...this.environment, ...environment });
    backends.push(replica.url);
    const removeBackend = (): void => void backends.splice(backends.indexOf(replica.url), 1);
    this.#cleanups.push(replica.kill);
    return {
      ...replica,
      kill: async () => await replica.kill().finally(removeBackend),
      stop: async () => await replica.stop().finally(removeBackend),
    };
  }

  /** Starts a worker as on a separate host: it shares only the blobs with the others. */
  async startWorker(environment: Record<string, string> = {}, args: string[] = []): Promise<Replica> {
    const dataDir = await mkdtemp(join(this.folder, 'host-'));
    await mkdir(join(this.folder, 'blobs'), { recursive: true });
    await symlink(join(this.folder, 'blobs'), join(dataDir, 'blobs'));
    const replica = await startReplica('worker', { DATA_DIR: dataDir, ...this.environment, ...environment }, args);
    this.#cleanups.push(replica.kill);
    return replica;
  }

  /** Starts two API and two worker processes at once, because startup work must be safe to run in all of them. */
  async startTwoOfEach(
    workerEnvironment: Record<string, string> = {},
  ): Promise<{ apis: Replica[]; workers: Replica[] }> {
    const [apis, workers] = await Promise.all([
      Promise.all([this.startApi(), this.startApi()]),
      Promise.all([this.startWorker(workerEnvironment), this.startWorker(workerEnvironment)]),
    ]);
    return { apis, workers };
  }

  async signInAsRoot(): Promise<ApiClient> {
    return await signInAsRoot(this.#balancer.url, this.folder);
  }

  /** Returns the headers of a request of the root user's browser. */
  async openRootSession(): Promise<Record<string, string>> {
    return await openSession(this.#balancer.url);
  }

  async close(): Promise<void> {
    for (const close of this.#cleanups.toReversed()) await close();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function startLocalBackend({
  folder,
  balancer,
  closeOnStop,
}: InstallationParts): Promise<Record<string, string>> {
  const storePath = join(folder, 'store.sqlite');
  const store = closeOnStop(openSqliteStore({ file: storePath }));
  const cluster = closeOnStop(
    await startCluster({
      store,
      sandbox: createTestSandbox(),
      openRegistry: openTestRegistry(),
      dataDir: join(folder, 'cluster'),
      port: 0,
      forwardAuth: { serviceUrl: balancer.url, publicUrl: balancer.url },
      log: () => {},
    }),
  );
  return {
    STORE_PATH: storePath,
    ZONE_ADDRESS: cluster.zoneUrl('{zone}'),
    ZONE_SERVICE: cluster.zoneServiceUrl('{product}', '{zone}'),
  };
}
