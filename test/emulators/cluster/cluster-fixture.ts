import assert from 'node:assert/strict';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type Agent, type ClientRequest, type OutgoingHttpHeaders, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished, vi } from 'vitest';
import { stringify } from 'yaml';
import { ensureOrgProject } from '../../../activities/environments/org-project.ts';
import { ensureZoneNamespace } from '../../../activities/environments/zone-namespace.ts';
import { loadConfig } from '../../../src/config.ts';
import { type Cluster, startCluster } from '../../../src/emulators/cluster/start-cluster.ts';
import {
  type ApplicationStatus,
  ApplicationKind,
  cascadeFinalizer,
  ownCluster,
  refreshAnnotation,
} from '../../../src/kinds/argo-cd.ts';
import { type BuildRun, BuildRunKind } from '../../../src/kinds/shipwright.ts';
import type { ZoneSettings } from '../../../src/rules/environments/settings.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import type { Store } from '../../../src/store/store.ts';
import { openTestRegistry } from '../../support/open-test-registry.ts';
import { createTestSandbox } from '../../support/test-sandbox.ts';
import { runGit } from '../../support/run-git.ts';

export const imageName = 'registry.local/acme/hello';

const sampleFolder = fileURLToPath(new URL('../../../src/emulators/sample/hello', import.meta.url));
const namespace = 'org-acme';

export const eventually = async <T>(check: () => Promise<T>): Promise<T> =>
  await vi.waitFor(check, { timeout: 60_000, interval: 25 });

export type Source = { url: string; revision: string };

type ClusterFixtureOptions = { usageIntervalMs: number; goRoot?: string | undefined };

/** An emulated cluster with its own store and folder, which are removed after the test. */
export class ClusterFixture {
  readonly folder: string;
  readonly store: Store;
  readonly usageIntervalMs: number;
  readonly goRoot: string | undefined;
  cluster!: Cluster;

  constructor(folder: string, store: Store, { usageIntervalMs, goRoot }: ClusterFixtureOptions) {
    this.folder = folder;
    this.store = store;
    this.usageIntervalMs = usageIntervalMs;
    this.goRoot = goRoot;
  }

  async start(): Promise<void> {
    await this.startAt(0);
  }

  async startAt(port: number): Promise<void> {
    const options = {
      store: this.store,
      sandbox: createTestSandbox(),
      openRegistry: openTestRegistry(),
      goRoot: this.goRoot,
      dataDir: join(this.folder, 'cluster'),
      port,
      usageIntervalMs: this.usageIntervalMs,
      log: () => {},
    };
    const cluster = await startCluster(options);
    this.cluster = cluster;
    onTestFinished(async () => await cluster.close());
  }

  /** Creates a repo with exactly these files. */
  async createRepo(files: Record<string, string>): Promise<Source> {
    const repo = await mkdtemp(join(this.folder, 'source-'));
    await runGit(repo, 'init', '--quiet');
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(repo, path)), { recursive: true });
      await writeFile(join(repo, path), text);
    }
    return { url: repo, revision: await commitAll(repo, 'source') };
  }

  /** Creates a repo of the sample Product. */
  async createSampleRepo(): Promise<Source> {
    const { url } = await this.createRepo({});
    await cp(sampleFolder, url, { recursive: true });
    return { url, revision: await commitAll(url, 'sample') };
  }

  /** Creates a repo of an app that consists of this JavaScript module. */
  async createAppRepo(script: string): Promise<Source> {
    return await this.createRepo({ 'app.mjs': script, Procfile: 'web: node app.mjs\n' });
  }

  async createBuildRun(git: Source): Promise<string> {
    const name = `build-${crypto.randomUUID().slice(0, 8)}`;
    const strategy = { name: 'buildpacks', kind: 'ClusterBuildStrategy' as const };
    const spec = { build: { spec: { source: { type: 'Git' as const, git }, strategy, output: { image: imageName } } } };
    await this.store.create(BuildRunKind, { metadata: { namespace, name }, spec });
    return name;
  }

  async cancelBuildRun(name: string): Promise<void> {
    const build = await this.store.get(BuildRunKind, { namespace, name });
    const cancelled = { ...build, spec: { ...build.spec, state: 'BuildRunCanceled' as const } };
    // The builder may have written the status in the meantime, so a conflict is retried.
    await this.store.replace(BuildRunKind, cancelled).catch(async () => await this.cancelBuildRun(name));
  }

  async deleteBuildRun(name: string): Promise<void> {
    await this.store.delete(BuildRunKind, { namespace, name });
  }

  async getBuildRunStatus(name: string): Promise<NonNullable<BuildRun['status']>> {
    return (await this.store.get(BuildRunKind, { namespace, name })).status ?? {};
  }

  /** Waits for the build to end and returns its status. */
  async waitForBuild(name: string): Promise<NonNullable<BuildRun['status']>> {
    return await eventually(async () => {
      const status = await this.getBuildRunStatus(name);
      assert(status.completionTime);
      return status;
    });
  }

  /** Returns the digest of a successful build. */
  async buildImage(source: Source): Promise<string> {
    const { output, failureDetails } = await this.waitForBuild(await this.createBuildRun(source));
    assert.equal(failureDetails, undefined);
    return output?.digest ?? '';
  }
}

export async function startClusterFixture({
  usageIntervalMs = 15_000,
  goRoot,
}: Partial<ClusterFixtureOptions> = {}): Promise<ClusterFixture> {
  const folder = await mkdtemp(join(tmpdir(), 'cluster-'));
  onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
  const store = openSqliteStore({ file: join(folder, 'store.sqlite') });
  onTestFinished(async () => await store.close());
  const fixture = new ClusterFixture(folder, store, { usageIntervalMs, goRoot });
  await fixture.start();
  return fixture;
}

export async function commitAll(repo: string, message: string): Promise<string> {
  await runGit(repo, 'add', '--all');
  await runGit(repo, 'commit', '--quiet', '--allow-empty', '-m', message);
  return await runGit(repo, 'rev-parse', 'HEAD');
}

export type ZoneRequest = {
  path?: string;
  method?: string;
  body?: string;
  agent?: Agent;
  headers?: OutgoingHttpHeaders;
};
export type ZoneResponse = { status: number; headers: Record<string, unknown>; body: string };

/** The settings of a values file, except the image. */
export type ZoneValuesOptions = { version?: string } & Partial<Omit<ZoneSettings, 'ingress'>>;

/** A zone with its values file in the gitops repo, its Application and its address. */
export class DeployedZone {
  readonly ref: { namespace: string; name: string };
  readonly gitops: string;
  readonly fixture: ClusterFixture;

  constructor(fixture: ClusterFixture, name = 'hello-rc') {
    this.fixture = fixture;
    this.ref = { namespace, name };
    this.gitops = join(fixture.folder, 'gitops');
  }

  /** Commits the values file and returns the commit. */
  async commitValues(
    digest: string,
    { version = 'v1.0.0', replicas = 1, ...settings }: ZoneValuesOptions = {},
  ): Promise<string> {
    const { name } = this.ref;
    await mkdir(join(this.gitops, 'zones'), { recursive: true });
    await runGit(this.gitops, 'init', '--quiet');
    const values = {
      image: { repository: imageName, digest },
      replicas,
      ingress: { hosts: [`${name}.localhost`], access: 'public' },
      resources: {},
      persistence: [],
      strategy: 'RollingUpdate',
      release: { name: `hello-${version}`, version, commit: 'c0ffee' },
      ...settings,
    };
    await writeFile(join(this.gitops, 'zones', `${name}.yaml`), stringify(values));
    return await commitAll(this.gitops, version);
  }

  async createApplication(valueFile = `/zones/${this.ref.name}.yaml`): Promise<void> {
    const { store } = this.fixture;
    await this.allowDeployment();
    const source = { repoURL: this.gitops, path: 'chart', targetRevision: 'main', helm: { valueFiles: [valueFile] } };
    await store.create(ApplicationKind, {
      metadata: { ...this.ref, finalizers: [cascadeFinalizer] },
      spec: { project: namespace, source, destination: { server: ownCluster, namespace: this.ref.name } },
    });
  }

  /** Creates the namespace of the zone and the project of the org, as the service does before an Application. */
  async allowDeployment(): Promise<void> {
    const { store } = this.fixture;
    const product = await store.find(ProductKind, { namespace, name: 'hello' });
    const owner = { org: 'acme', product: 'hello', zone: this.ref.name, uid: product?.metadata.uid ?? 'none' };
    await ensureZoneNamespace(store, owner, { network: loadConfig({}).network, access: 'public' });
    await ensureOrgProject(store, { org: 'acme', repoUrl: this.gitops, argoCdNamespace: 'argocd' });
  }

  async refresh(): Promise<void> {
    const application = await this.fixture.store.get(ApplicationKind, this.ref);
    const annotations = { ...application.metadata.annotations, [refreshAnnotation]: 'normal' };
    await this.fixture.store.replace(ApplicationKind, {
      ...application,
      metadata: { ...application.metadata, annotations },
    });
  }

  async getStatus(): Promise<ApplicationStatus> {
    return (await this.fixture.store.get(ApplicationKind, this.ref)).status ?? {};
  }

  /** Creates the Application and waits until the version runs. */
  async deploy(digest: string, options: ZoneValuesOptions = {}): Promise<string> {
    const revision = await this.commitValues(digest, options);
    await this.createApplication();
    await this.waitUntilRunning(digest, revision);
    return revision;
  }

  /** Deploys another version and waits until it runs. */
  async replace(digest: string, version = 'v2.0.0'): Promise<string> {
    const revision = await this.commitValues(digest, { version });
    await this.refresh();
    await this.waitUntilRunning(digest, revision);
    return revision;
  }

  async waitUntilRunning(digest: string, revision: string): Promise<void> {
    await eventually(async () => {
      const { sync, health, operationState, summary } = await this.getStatus();
      const { phase, syncResult } = operationState ?? {};
      assert.deepEqual(sync, { status: 'Synced', revision });
      assert.deepEqual({ phase, syncResult }, { phase: 'Succeeded', syncResult: { revision } });
      assert.equal(health?.status, 'Healthy', health?.message);
      assert.deepEqual(summary, { images: [`${imageName}@${digest}`] });
    });
  }

  async waitForHealth(status: string): Promise<ApplicationStatus> {
    return await eventually(async () => {
      const current = await this.getStatus();
      assert.equal(current.health?.status, status, current.health?.message);
      return current;
    });
  }

  sendRequest({ path = '/', method = 'GET', agent, headers }: ZoneRequest = {}): ClientRequest {
    const { port, hostname } = new URL(this.fixture.cluster.zoneUrl(this.ref.name));
    // Browsers resolve `*.localhost` to loopback, but Node does not.
    const target = { host: '127.0.0.1', port, path, method, headers: { ...headers, host: `${hostname}:${port}` } };
    return request({ ...target, agent: agent ?? false });
  }

  async request(options: ZoneRequest = {}): Promise<ZoneResponse> {
    return await new Promise((resolve, reject) => {
      const sent = this.sendRequest(options).once('error', reject);
      sent.once('response', (response) => {
        let body = '';
        response.on('data', (chunk: Buffer) => (body += chunk.toString()));
        response.on('error', reject);
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
      });
      sent.end(options.body);
    });
  }

  async readVersion(): Promise<string> {
    return (JSON.parse((await this.request({ path: '/version' })).body) as { version: string }).version;
  }
}

/** Starts a server on the loopback interface of the machine, which sandboxed processes must not reach. */
export async function startSecretServer(): Promise<number> {
  const secret = createServer((_, response) => response.end('secret'));
  await new Promise<void>((resolve) => secret.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void secret.close());
  return (secret.address() as AddressInfo).port;
}
