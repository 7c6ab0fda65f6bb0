import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Api } from '../../src/clients/http.ts';
import { startCluster } from '../../src/local/cluster/start-cluster.ts';
import { type Codehost, startCodehost } from '../../src/local/codehost/start-codehost.ts';
import { startModel } from '../../src/local/model/start-model.ts';
import { sampleFolder } from '../../src/main/sample.ts';
import { startTemporalServer } from '../../src/main/temporal/dev-server.ts';
import { readTemporalSettings } from '../../src/main/temporal/settings.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { type LoadBalancer, startLoadBalancer } from './load-balancer.ts';
import { asRoot } from './platform.ts';
import { type Replica, startReplica } from './replica.ts';
import { testSandbox } from './test-sandbox.ts';

type Closing = { close(): Promise<void> };
type Parts = {
  folder: string;
  balancer: LoadBalancer;
  codehost: Codehost;
  /** Has it closed with the installation. */
  keep: <T extends Closing>(part: T) => T;
};
/** Starts where resources are kept and zones run; answers what the service is told of it. */
export type Beside = (parts: Parts) => Promise<Record<string, string>>;

/** A service of several processes; all that is somebody else's runs in this one. */
export class Installation {
  readonly folder: string;
  readonly environment: Record<string, string>;
  readonly #balancer: LoadBalancer;
  readonly #codehost: Codehost;
  readonly #closing: (() => Promise<void>)[];

  private constructor(
    folder: string,
    environment: Record<string, string>,
    { balancer, codehost, closing }: { balancer: LoadBalancer; codehost: Codehost; closing: (() => Promise<void>)[] },
  ) {
    this.folder = folder;
    this.environment = environment;
    this.#balancer = balancer;
    this.#codehost = codehost;
    this.#closing = closing;
  }

  static async start(temporalExecutable: string, beside: Beside = onOneMachine): Promise<Installation> {
    const folder = await mkdtemp(join(tmpdir(), 'installation-'));
    const closing: (() => Promise<void>)[] = [];
    const keep = <T extends Closing>(part: T): T => {
      closing.push(async () => await part.close());
      return part;
    };
    const balancer = keep(await startLoadBalancer());
    const temporal = keep(
      await startTemporalServer({
        executable: temporalExecutable,
        settings: await readTemporalSettings(),
        logFile: join(folder, 'temporal.log'),
        port: 0,
      }),
    );
    const codehost = keep(await startCodehost({ dataDir: join(folder, 'codehost'), port: 0 }));
    await codehost.seedRepository('acme/hello', sampleFolder);
    const model = keep(await startModel({ port: 0 }));
    const environment = {
      ...(await beside({ folder, balancer, codehost, keep })),
      PUBLIC_URL: balancer.url,
      TEMPORAL_ADDRESS: temporal.address,
      CODEHOST_URL: codehost.url,
      CODEHOST_API_URL: codehost.apiUrl,
      CODEHOST_THROTTLE: 'false',
      INGRESS_ADDRESSES: '127.0.0.1',
      MODEL_BASE_URL: model.url,
      MODEL_NAME: 'rehearsal',
      MODEL_API_KEY: 'none',
    };
    return new Installation(folder, environment, { balancer, codehost, closing });
  }

  get codehostUrl(): string {
    return this.#codehost.url;
  }

  codehostToken = async (): Promise<string> => this.#codehost.userToken;

  address(zone: string): string {
    return this.environment['ZONE_ADDRESS']?.replace('{zone}', zone) ?? '';
  }

  /** One more API, which the load balancer knows from when it is ready until it has ended. */
  async serve(environment: Record<string, string> = {}): Promise<Replica> {
    const { backends } = this.#balancer;
    const replica = await startReplica('serve', { DATA_DIR: this.folder, ...this.environment, ...environment });
    backends.push(replica.url);
    const leave = (): void => void backends.splice(backends.indexOf(replica.url), 1);
    this.#closing.push(replica.kill);
    return {
      ...replica,
      kill: async () => await replica.kill().finally(leave),
      stop: async () => await replica.stop().finally(leave),
    };
  }

  /** One more worker, as on a host of its own: it shares blobs with the others, and no other file of its data. */
  async work(environment: Record<string, string> = {}, args: string[] = []): Promise<Replica> {
    const dataDir = await mkdtemp(join(this.folder, 'host-'));
    await mkdir(join(this.folder, 'blobs'), { recursive: true });
    await symlink(join(this.folder, 'blobs'), join(dataDir, 'blobs'));
    const replica = await startReplica('work', { DATA_DIR: dataDir, ...this.environment, ...environment }, args);
    this.#closing.push(replica.kill);
    return replica;
  }

  /** Two APIs and two workers, started at once: what each does at its start may be done by all. */
  async startTwoOfEach(): Promise<{ serving: Replica[]; working: Replica[] }> {
    const [serving, working] = await Promise.all([
      Promise.all([this.serve(), this.serve()]),
      Promise.all([this.work(), this.work()]),
    ]);
    return { serving, working };
  }

  async asRoot(): Promise<Api> {
    return await asRoot(this.#balancer.url, (await readFile(join(this.folder, 'setup-token'), 'utf8')).trim());
  }

  async close(): Promise<void> {
    for (const close of this.#closing.toReversed()) await close();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function onOneMachine({ folder, balancer, codehost, keep }: Parts): Promise<Record<string, string>> {
  const storePath = join(folder, 'store.sqlite');
  const store = keep(openSqliteStore({ file: storePath }));
  const owner = `Basic ${Buffer.from(`owner:${codehost.userToken}`).toString('base64')}`;
  const cluster = keep(
    await startCluster({
      store,
      sandbox: testSandbox(),
      dataDir: join(folder, 'cluster'),
      port: 0,
      service: { serviceUrl: balancer.url, publicUrl: balancer.url },
      log: () => {},
      credentialsFor: async (url) => (url.startsWith(codehost.url) ? owner : undefined),
    }),
  );
  return {
    STORE_PATH: storePath,
    ZONE_ADDRESS: cluster.zoneUrl('{zone}'),
    ZONE_SERVICE: cluster.serviceUrl('{product}', '{zone}'),
  };
}
