import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type Server, createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import { type Cluster, startCluster } from '../../../src/local/cluster/start-cluster.ts';
import {
  ApplicationKind,
  BuildRunKind,
  cascadeFinalizer,
  refreshAnnotation,
} from '../../../src/rules/environments/delivery-kinds.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import type { Store } from '../../../src/store/store.ts';
import { testSandbox } from '../../support/test-sandbox.ts';

const run = promisify(execFile);
const sample = fileURLToPath(new URL('../../../src/local/sample/hello', import.meta.url));
const namespace = 'org-acme';
const image = 'registry.local/acme/hello';
const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];
const undo: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const one of undo.splice(0).toReversed()) await one();
});

const eventually = async <T>(check: () => Promise<T>): Promise<T> => await vi.waitFor(check, { timeout: 30_000, interval: 50 });

type World = { folder: string; store: Store; cluster: Cluster; restart(): Promise<Cluster> };

async function aWorld(): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'cluster-'));
  undo.push(async () => await rm(folder, { recursive: true, force: true }));
  const store = openSqliteStore({ file: join(folder, 'store.sqlite') });
  undo.push(async () => await store.close());
  const sandbox = await testSandbox();
  const start = async (): Promise<Cluster> => {
    const cluster = await startCluster({ store, sandbox, dataDir: join(folder, 'cluster'), port: 0, log: () => {} });
    undo.push(cluster.close);
    return cluster;
  };
  const world = { folder, store, cluster: await start(), restart: async () => (world.cluster = await start()) };
  return world;
}

async function commit(repo: string, message: string): Promise<string> {
  await run('git', ['-C', repo, 'add', '--all']);
  await run('git', ['-C', repo, ...identity, 'commit', '--quiet', '--allow-empty', '-m', message]);
  return (await run('git', ['-C', repo, 'rev-parse', 'HEAD'])).stdout.trim();
}

/** A repo of the sample with the given files written over it. */
async function aSource(folder: string, files: Record<string, string> = {}): Promise<{ url: string; revision: string }> {
  const repo = await mkdtemp(join(folder, 'source-'));
  await run('git', ['init', '--quiet', '--initial-branch', 'main', repo]);
  await cp(sample, repo, { recursive: true });
  for (const [path, text] of Object.entries(files)) await writeFile(join(repo, path), text);
  return { url: repo, revision: await commit(repo, 'source') };
}

async function build({ store }: World, source: { url: string; revision: string }): Promise<{ digest?: string; failure?: string }> {
  const ref = { namespace, name: `build-${crypto.randomUUID().slice(0, 8)}` };
  const strategy = { name: 'buildpacks', kind: 'ClusterBuildStrategy' as const };
  await store.create(BuildRunKind, {
    metadata: ref,
    spec: { build: { spec: { source: { type: 'Git', git: source }, strategy, output: { image } } } },
  });
  return await eventually(async () => {
    const { status } = await store.get(BuildRunKind, ref);
    const condition = status?.conditions?.find(({ type }) => type === 'Succeeded');
    expect(['True', 'False']).toContain(condition?.status);
    return condition?.status === 'True' ? { digest: status?.output?.digest ?? '' } : { failure: status?.failureDetails?.message ?? '' };
  });
}

class Zone {
  readonly ref = { namespace, name: 'hello-rc' };
  readonly gitops: string;
  readonly world: World;

  constructor(world: World) {
    this.world = world;
    this.gitops = join(world.folder, 'gitops');
  }

  async write(digest: string, version: string): Promise<string> {
    await mkdir(join(this.gitops, 'zones'), { recursive: true });
    await run('git', ['-C', this.gitops, 'init', '--quiet', '--initial-branch', 'main']);
    const values = { image: { repository: image, digest }, replicas: 1, ingress: { hosts: ['hello-rc.localhost'] }, release: { name: `hello-${version}`, version, commit: 'c' } };
    await writeFile(join(this.gitops, 'zones', 'hello-rc.yaml'), stringify(values));
    return await commit(this.gitops, version);
  }

  async createApplication(): Promise<void> {
    await this.world.store.create(ApplicationKind, {
      metadata: { ...this.ref, finalizers: [cascadeFinalizer] },
      spec: {
        project: 'default',
        source: { repoURL: this.gitops, path: 'chart', targetRevision: 'main', helm: { valueFiles: ['/zones/hello-rc.yaml'] } },
        destination: { namespace: 'hello-rc' },
      },
    });
  }

  async refresh(): Promise<void> {
    const application = await this.world.store.get(ApplicationKind, this.ref);
    const annotations = { ...application.metadata.annotations, [refreshAnnotation]: 'normal' };
    await this.world.store.replace(ApplicationKind, { ...application, metadata: { ...application.metadata, annotations } });
  }

  async untilRuns(digest: string, revision: string): Promise<void> {
    await eventually(async () => {
      const { status } = await this.world.store.get(ApplicationKind, this.ref);
      expect(status).toMatchObject({
        sync: { status: 'Synced', revision },
        health: { status: 'Healthy' },
        operationState: { phase: 'Succeeded', syncResult: { revision } },
        summary: { images: [`${image}@${digest}`] },
      });
    });
  }

  async ask(path = '/version'): Promise<{ status: number; body: string }> {
    const { port } = new URL(this.world.cluster.url);
    return await new Promise((resolve, reject) => {
      get({ host: '127.0.0.1', port, path, headers: { host: `hello-rc.localhost:${port}` }, agent: false }, (response) => {
        let body = '';
        response.on('data', (chunk: Buffer) => (body += chunk.toString()));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
      }).on('error', reject);
    });
  }

  async version(): Promise<string> {
    return (JSON.parse((await this.ask()).body) as { version: string }).version;
  }
}

/** The sample running as v1.0.0. */
async function aRunningZone(): Promise<{ world: World; zone: Zone; digest: string }> {
  const world = await aWorld();
  const zone = new Zone(world);
  const { digest = '' } = await build(world, await aSource(world.folder));
  const revision = await zone.write(digest, 'v1.0.0');
  await zone.createApplication();
  await zone.untilRuns(digest, revision);
  return { world, zone, digest };
}

it('builds the same commit into the same image, and another into another', async () => {
  const world = await aWorld();
  const source = await aSource(world.folder);
  const [first, again] = [await build(world, source), await build(world, source)];
  const other = await build(world, await aSource(world.folder, { 'greeting.js': 'export const greeting = () => "Hi";' }));
  expect(first.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect(again).toEqual(first);
  expect(other.digest).not.toBe(first.digest);
  expect(await world.cluster.imageDigests()).toHaveLength(2);
});

it('a source that does not say how it starts fails with what to add', async () => {
  const world = await aWorld();
  const source = await aSource(world.folder, { 'package.json': '{"name":"hello","type":"module"}' });
  expect((await build(world, source)).failure).toContain('add a Procfile');
});

it('a build script that fails fails the build with its last words', async () => {
  const world = await aWorld();
  const scripts = { start: 'node server.js', build: 'echo "no such luck"; exit 3' };
  const { failure } = await build(world, await aSource(world.folder, { 'package.json': JSON.stringify({ type: 'module', scripts }) }));
  expect(failure).toContain('status 3');
  expect(failure).toContain('no such luck');
});

it('replaces a version without dropping a request', async () => {
  const { world, zone } = await aRunningZone();
  const next = await build(world, await aSource(world.folder, { 'greeting.js': "export const greeting = () => 'Hi';" }));
  const answers: number[] = [];
  let hammering = true;
  const hammer = Array.from({ length: 4 }, async () => {
    while (hammering) answers.push((await zone.ask()).status);
  });
  const revision = await zone.write(next.digest ?? '', 'v2.0.0');
  await zone.refresh();
  await zone.untilRuns(next.digest ?? '', revision);
  hammering = false;
  await Promise.all(hammer);
  expect(await zone.version()).toBe('v2.0.0');
  expect(answers.length).toBeGreaterThan(10);
  expect(answers.filter((status) => status !== 200)).toEqual([]);
});

it('a version that does not start is Degraded and leaves the one before serving', async () => {
  const { world, zone } = await aRunningZone();
  const broken = await build(world, await aSource(world.folder, { 'server.js': 'process.exit(7);' }));
  await zone.write(broken.digest ?? '', 'v2.0.0');
  await zone.refresh();
  await eventually(async () => {
    const { status } = await world.store.get(ApplicationKind, zone.ref);
    expect(status?.health?.status).toBe('Degraded');
  });
  expect(await zone.version()).toBe('v1.0.0');
});

it('an app that dies is started again', async () => {
  const world = await aWorld();
  const zone = new Zone(world);
  const app = `import { createServer } from 'node:http';
createServer((request, response) => {
  if (request.url === '/die') process.exit(1);
  response.end('here');
}).listen(process.env.PORT);`;
  const { digest = '' } = await build(world, await aSource(world.folder, { 'server.js': app }));
  const revision = await zone.write(digest, 'v1.0.0');
  await zone.createApplication();
  await zone.untilRuns(digest, revision);
  await zone.ask('/die').catch(() => undefined);
  await eventually(async () => expect((await zone.ask('/')).body).toBe('here'));
});

it('an app can reach nothing of the machine it runs on', async () => {
  const world = await aWorld();
  const zone = new Zone(world);
  const secret: Server = createServer((_, response) => response.end('secret'));
  await new Promise<void>((resolve) => secret.listen(0, '127.0.0.1', resolve));
  undo.push(async () => secret.close());
  const { port } = secret.address() as AddressInfo;
  const app = `import { createServer, get } from 'node:http';
createServer((_, response) => {
  get('http://127.0.0.1:${port}', (answer) => answer.pipe(response)).on('error', (error) => response.end(error.code));
}).listen(process.env.PORT);`;
  const { digest = '' } = await build(world, await aSource(world.folder, { 'server.js': app }));
  const revision = await zone.write(digest, 'v1.0.0');
  await zone.createApplication();
  await zone.untilRuns(digest, revision);
  expect((await zone.ask('/')).body).toBe('ECONNREFUSED');
});

it('after a restart the zones run again without a look at the repo', async () => {
  const { world, zone } = await aRunningZone();
  await world.cluster.close();
  await rm(zone.gitops, { recursive: true });
  await world.restart();
  await eventually(async () => expect(await zone.version()).toBe('v1.0.0'));
});

it('deleting an Application stops what it deployed before it goes', async () => {
  const { world, zone } = await aRunningZone();
  await world.store.delete(ApplicationKind, zone.ref);
  await eventually(async () => expect(await world.store.find(ApplicationKind, zone.ref)).toBeUndefined());
  expect((await zone.ask()).status).toBe(404);
});

it('a values file that is missing is a comparison error, not a failure for good', async () => {
  const { world, zone } = await aRunningZone();
  await rm(join(zone.gitops, 'zones'), { recursive: true });
  await commit(zone.gitops, 'gone');
  await zone.refresh();
  await eventually(async () => {
    const { status } = await world.store.get(ApplicationKind, zone.ref);
    expect(status?.conditions).toMatchObject([{ type: 'ComparisonError' }]);
  });
  expect(await zone.version()).toBe('v1.0.0');
});
