import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type Agent, type ClientRequest, type OutgoingHttpHeaders, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { onTestFinished, vi } from 'vitest';
import { stringify } from 'yaml';
import { type Cluster, startCluster } from '../../../src/local/cluster/start-cluster.ts';
import {
  type ApplicationStatus,
  type BuildRun,
  ApplicationKind,
  BuildRunKind,
  cascadeFinalizer,
  refreshAnnotation,
} from '../../../src/rules/environments/delivery-kinds.ts';
import type { ZoneSettings } from '../../../src/rules/environments/zone-values.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import type { Store } from '../../../src/store/store.ts';
import { testSandbox } from '../../support/test-sandbox.ts';

export const run = promisify(execFile);
export const image = 'registry.local/acme/hello';

const sample = fileURLToPath(new URL('../../../src/local/sample/hello', import.meta.url));
const namespace = 'org-acme';
const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];

export const eventually = async <T>(check: () => Promise<T>): Promise<T> =>
  await vi.waitFor(check, { timeout: 30_000, interval: 25 });

export type Source = { url: string; revision: string };

/** A cluster on a store and a folder of its own, until the test is finished. */
export class World {
  readonly folder: string;
  readonly store: Store;
  readonly measureEveryMs: number;
  cluster!: Cluster;

  constructor(folder: string, store: Store, measureEveryMs: number) {
    this.folder = folder;
    this.store = store;
    this.measureEveryMs = measureEveryMs;
  }

  async start(): Promise<void> {
    await this.startAt(0);
  }

  async startAt(port: number): Promise<void> {
    const options = {
      store: this.store,
      sandbox: testSandbox(),
      dataDir: join(this.folder, 'cluster'),
      port,
      measureEveryMs: this.measureEveryMs,
      log: () => {},
    };
    const cluster = await startCluster(options);
    this.cluster = cluster;
    onTestFinished(async () => await cluster.close());
  }

  /** A repo with these files and nothing else. */
  async source(files: Record<string, string>): Promise<Source> {
    const repo = await mkdtemp(join(this.folder, 'source-'));
    await run('git', ['init', '--quiet', '--initial-branch', 'main', repo]);
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(repo, path)), { recursive: true });
      await writeFile(join(repo, path), text);
    }
    return { url: repo, revision: await commit(repo, 'source') };
  }

  /** A repo of the sample Product. */
  async sample(): Promise<Source> {
    const { url } = await this.source({});
    await cp(sample, url, { recursive: true });
    return { url, revision: await commit(url, 'sample') };
  }

  /** A repo of an app that is this JavaScript module. */
  async app(script: string): Promise<Source> {
    return await this.source({ 'app.mjs': script, Procfile: 'web: node app.mjs\n' });
  }

  async createBuildRun(git: Source): Promise<string> {
    const name = `build-${crypto.randomUUID().slice(0, 8)}`;
    const strategy = { name: 'buildpacks', kind: 'ClusterBuildStrategy' as const };
    const spec = { build: { spec: { source: { type: 'Git' as const, git }, strategy, output: { image } } } };
    await this.store.create(BuildRunKind, { metadata: { namespace, name }, spec });
    return name;
  }

  async cancelBuildRun(name: string): Promise<void> {
    const build = await this.store.get(BuildRunKind, { namespace, name });
    const cancelled = { ...build, spec: { ...build.spec, state: 'BuildRunCanceled' as const } };
    // The builder may have written its status in between.
    await this.store.replace(BuildRunKind, cancelled).catch(async () => await this.cancelBuildRun(name));
  }

  async deleteBuildRun(name: string): Promise<void> {
    await this.store.delete(BuildRunKind, { namespace, name });
  }

  async buildRun(name: string): Promise<NonNullable<BuildRun['status']>> {
    return (await this.store.get(BuildRunKind, { namespace, name })).status ?? {};
  }

  /** The status of a build that has ended. */
  async ended(name: string): Promise<NonNullable<BuildRun['status']>> {
    return await eventually(async () => {
      const status = await this.buildRun(name);
      assert(status.completionTime);
      return status;
    });
  }

  /** The digest of a build that succeeds. */
  async build(source: Source): Promise<string> {
    const { output, failureDetails } = await this.ended(await this.createBuildRun(source));
    assert.equal(failureDetails, undefined);
    return output?.digest ?? '';
  }
}

export async function aWorld({ measureEveryMs = 15_000 } = {}): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'cluster-'));
  onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
  const store = openSqliteStore({ file: join(folder, 'store.sqlite') });
  onTestFinished(async () => await store.close());
  const world = new World(folder, store, measureEveryMs);
  await world.start();
  return world;
}

export async function commit(repo: string, message: string): Promise<string> {
  await run('git', ['-C', repo, 'add', '--all']);
  await run('git', ['-C', repo, ...identity, 'commit', '--quiet', '--allow-empty', '-m', message]);
  return (await run('git', ['-C', repo, 'rev-parse', 'HEAD'])).stdout.trim();
}

export type Asked = { path?: string; method?: string; body?: string; agent?: Agent; headers?: OutgoingHttpHeaders };
export type Answer = { status: number; headers: Record<string, unknown>; body: string };

/** What a values file says besides the image. */
export type Values = { version?: string } & Partial<Omit<ZoneSettings, 'ingress'>>;

/** One zone: its values file in the gitops repo, its Application, its address. */
export class ZoneOf {
  readonly ref: { namespace: string; name: string };
  readonly gitops: string;
  readonly world: World;

  constructor(world: World, name = 'hello-rc') {
    this.world = world;
    this.ref = { namespace, name };
    this.gitops = join(world.folder, 'gitops');
  }

  /** Commits what should run; answers with the commit. */
  async write(digest: string, { version = 'v1.0.0', replicas = 1, ...settings }: Values = {}): Promise<string> {
    const { name } = this.ref;
    await mkdir(join(this.gitops, 'zones'), { recursive: true });
    await run('git', ['-C', this.gitops, 'init', '--quiet', '--initial-branch', 'main']);
    const values = {
      image: { repository: image, digest },
      replicas,
      ingress: { hosts: [`${name}.localhost`] },
      release: { name: `hello-${version}`, version, commit: 'c0ffee' },
      ...settings,
    };
    await writeFile(join(this.gitops, 'zones', `${name}.yaml`), stringify(values));
    return await commit(this.gitops, version);
  }

  async createApplication(valueFile = `/zones/${this.ref.name}.yaml`): Promise<void> {
    const source = { repoURL: this.gitops, path: 'chart', targetRevision: 'main', helm: { valueFiles: [valueFile] } };
    await this.world.store.create(ApplicationKind, {
      metadata: { ...this.ref, finalizers: [cascadeFinalizer] },
      spec: { project: 'default', source, destination: { namespace: this.ref.name } },
    });
  }

  async refresh(): Promise<void> {
    const application = await this.world.store.get(ApplicationKind, this.ref);
    const annotations = { ...application.metadata.annotations, [refreshAnnotation]: 'normal' };
    await this.world.store.replace(ApplicationKind, {
      ...application,
      metadata: { ...application.metadata, annotations },
    });
  }

  async status(): Promise<ApplicationStatus> {
    return (await this.world.store.get(ApplicationKind, this.ref)).status ?? {};
  }

  /** Deploys for the first time, and waits until it runs. */
  async deploy(digest: string, options: Values = {}): Promise<string> {
    const revision = await this.write(digest, options);
    await this.createApplication();
    await this.untilRuns(digest, revision);
    return revision;
  }

  /** Deploys another version, and waits until it runs. */
  async replace(digest: string, version = 'v2.0.0'): Promise<string> {
    const revision = await this.write(digest, { version });
    await this.refresh();
    await this.untilRuns(digest, revision);
    return revision;
  }

  async untilRuns(digest: string, revision: string): Promise<void> {
    await eventually(async () => {
      const { sync, health, operationState, summary } = await this.status();
      const { phase, syncResult } = operationState ?? {};
      assert.deepEqual(sync, { status: 'Synced', revision });
      assert.deepEqual({ phase, syncResult }, { phase: 'Succeeded', syncResult: { revision } });
      assert.equal(health?.status, 'Healthy', health?.message);
      assert.deepEqual(summary, { images: [`${image}@${digest}`] });
    });
  }

  async untilHealthIs(status: string): Promise<ApplicationStatus> {
    return await eventually(async () => {
      const seen = await this.status();
      assert.equal(seen.health?.status, status, seen.health?.message);
      return seen;
    });
  }

  send({ path = '/', method = 'GET', agent, headers }: Asked = {}): ClientRequest {
    const { port, hostname } = new URL(this.world.cluster.zoneUrl(this.ref.name));
    // `*.localhost` is loopback to browsers, not to Node's own look-up.
    const to = { host: '127.0.0.1', port, path, method, headers: { ...headers, host: `${hostname}:${port}` } };
    return request({ ...to, agent: agent ?? false });
  }

  async ask(asked: Asked = {}): Promise<Answer> {
    return await new Promise((resolve, reject) => {
      const sent = this.send(asked).once('error', reject);
      sent.once('response', (response) => {
        let body = '';
        response.on('data', (chunk: Buffer) => (body += chunk.toString()));
        response.on('error', reject);
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
      });
      sent.end(asked.body);
    });
  }

  async version(): Promise<string> {
    return (JSON.parse((await this.ask({ path: '/version' })).body) as { version: string }).version;
  }
}

/** A port of this machine's loopback that nobody but we should reach. */
export async function aSecretPort(): Promise<number> {
  const secret = createServer((_, response) => response.end('secret'));
  await new Promise<void>((resolve) => secret.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void secret.close());
  return (secret.address() as AddressInfo).port;
}
