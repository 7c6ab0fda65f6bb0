import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type ApplicationStatus, ApplicationKind } from '../../../src/kinds/argo-cd.ts';
import {
  type ClusterFixture,
  DeployedZone,
  startSecretServer,
  startClusterFixture,
  commitAll,
  eventually,
  imageName,
} from './cluster-fixture.ts';

const server = "import { createServer } from 'node:http';";

/** Deploys the sample Product as v1.0.0. */
async function startRunningZone(): Promise<{ fixture: ClusterFixture; zone: DeployedZone; digest: string }> {
  const fixture = await startClusterFixture();
  const zone = new DeployedZone(fixture);
  const digest = await fixture.buildImage(await fixture.createSampleRepo());
  await zone.deploy(digest);
  return { fixture, zone, digest };
}

/** Records every status from now on. */
function recordStatuses(zone: DeployedZone): ApplicationStatus[] {
  const seen: ApplicationStatus[] = [];
  const over = new AbortController();
  onTestFinished(() => over.abort());
  void (async () => {
    for await (const { object } of zone.fixture.store.watch(ApplicationKind, { ...zone.ref, signal: over.signal }))
      seen.push(object.status ?? {});
  })().catch(() => undefined);
  return seen;
}

it('reports a deployment in the order of Argo CD, with the old health for a moment after the sync', async () => {
  const { fixture, zone, digest } = await startRunningZone();
  const next = await fixture.buildImage(
    await fixture.createAppRepo(`${server} createServer((_, response) => response.end()).listen(process.env.PORT);`),
  );
  const seen = recordStatuses(zone);
  const revision = await zone.replace(next);
  await eventually(async () => expect(seen.at(-1)?.summary?.images).toEqual([`${imageName}@${next}`]));

  const summaries = seen.map(
    ({ operationState, sync, health }) => `${operationState?.phase} ${sync?.status} ${health?.status}`,
  );
  const distinct = summaries.filter((one, at) => one !== summaries[at - 1]);
  expect(distinct.slice(-4)).toEqual([
    'Running OutOfSync Healthy',
    'Succeeded Synced Healthy',
    'Succeeded Synced Progressing',
    'Succeeded Synced Healthy',
  ]);
  const stale = seen.find(
    ({ sync, operationState }) => sync?.status === 'Synced' && operationState?.syncResult?.revision === revision,
  );
  expect(stale?.summary?.images).toEqual([`${imageName}@${digest}`]);
  expect(Date.parse(stale?.reconciledAt ?? '')).toBeLessThanOrEqual(
    Date.parse(stale?.operationState?.finishedAt ?? ''),
  );
});

it('removes the refresh annotation', async () => {
  const { fixture, zone } = await startRunningZone();
  await zone.refresh();
  await eventually(async () =>
    expect((await fixture.store.get(ApplicationKind, zone.ref)).metadata.annotations ?? {}).toEqual({}),
  );
});

it('updates only the revision for a commit that does not change the zone', async () => {
  const { zone, digest } = await startRunningZone();
  const { operationState } = await zone.getStatus();
  await writeFile(join(zone.gitops, 'other'), 'product');
  const revision = await commitAll(zone.gitops, 'another product');
  const seen = recordStatuses(zone);
  await zone.refresh();
  await eventually(async () => expect((await zone.getStatus()).sync).toEqual({ status: 'Synced', revision }));
  expect(await zone.getStatus()).toMatchObject({
    operationState: operationState ?? {},
    summary: { images: [`${imageName}@${digest}`] },
  });
  expect((await zone.getStatus()).operationState ?? {}).toEqual(operationState);
  expect(seen.map(({ health }) => health?.status)).not.toContain('Progressing');
});

it('reports Degraded with the last output of a version that does not start, and keeps the previous one running', async () => {
  const { fixture, zone, digest } = await startRunningZone();
  await zone.commitValues(
    await fixture.buildImage(await fixture.createAppRepo("console.log('out of luck'); process.exit(7);")),
    {
      version: 'v2.0.0',
    },
  );
  await zone.refresh();
  const { health, summary, sync } = await zone.waitForHealth('Degraded');
  expect(health?.message).toContain('out of luck');
  expect(sync?.status).toBe('Synced');
  expect(summary?.images).toEqual([`${imageName}@${digest}`]);
  expect(await zone.readVersion()).toBe('v1.0.0');
});

it('reports Degraded for a missing image, and recovers with the previous version', async () => {
  const { zone, digest } = await startRunningZone();
  await zone.commitValues(`sha256:${'0'.repeat(64)}`, { version: 'v2.0.0' });
  await zone.refresh();
  expect((await zone.waitForHealth('Degraded')).health?.message).toContain('ImagePullBackOff');
  await zone.replace(digest, 'v1.0.0');
  expect(await zone.readVersion()).toBe('v1.0.0');
});

it('retries a version that does not start', async () => {
  const fixture = await startClusterFixture();
  const zone = new DeployedZone(fixture);
  const digest = await fixture.buildImage(await fixture.createSampleRepo());
  const images = join(fixture.folder, 'cluster', 'images');
  const manifest = join(images, digest.replace(':', '-'), 'manifest.json');
  const text = await readFile(manifest);
  await rm(manifest);
  await zone.commitValues(digest);
  await zone.createApplication();
  await zone.waitForHealth('Degraded');
  await writeFile(manifest, text);
  await zone.waitForHealth('Healthy');
  expect(await zone.readVersion()).toBe('v1.0.0');
});

it('restarts an app that exits', async () => {
  const fixture = await startClusterFixture();
  const zone = new DeployedZone(fixture);
  const app = `${server} createServer(({ url }, response) => (url === '/exit' ? process.exit(1) : response.end('running'))).listen(process.env.PORT);`;
  await zone.deploy(await fixture.buildImage(await fixture.createAppRepo(app)));
  expect((await zone.request({ path: '/exit' })).status).toBe(502);
  await eventually(async () => expect(await zone.request()).toMatchObject({ status: 200, body: 'running' }));
  await zone.waitForHealth('Healthy');
});

it('reports Degraded for an app in a crash loop', async () => {
  const fixture = await startClusterFixture();
  const zone = new DeployedZone(fixture);
  const app = `${server} createServer(() => {}).listen(process.env.PORT, () => setTimeout(() => process.exit(1), 300));`;
  await zone.commitValues(await fixture.buildImage(await fixture.createAppRepo(app)));
  await zone.createApplication();
  expect((await zone.waitForHealth('Degraded')).health?.message).toMatch(
    /^CrashLoopBackOff: the app exited \d+ times in a row/,
  );
});

it('reports Healthy for a zone with 0 replicas', async () => {
  const fixture = await startClusterFixture();
  const zone = new DeployedZone(fixture);
  await zone.deploy(await fixture.buildImage(await fixture.createSampleRepo()), { replicas: 0 });
  expect(await zone.request()).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
});

it('isolates an app from the network of the machine and from writing outside /tmp', async () => {
  const fixture = await startClusterFixture();
  const zone = new DeployedZone(fixture);
  const port = await startSecretServer();
  const app = `import { get, createServer } from 'node:http';
import { writeFileSync } from 'node:fs';
const tryWrite = (path) => { try { writeFileSync(path, ''); return 'written'; } catch ({ code }) { return code; } };
createServer((_, response) => {
  const written = ['/workspace/x', '/service/host/x', '/service/x', '/tmp/x'].map(tryWrite);
  const end = (reached) => response.end(JSON.stringify({ reached, written }));
  get('http://127.0.0.1:${port}', () => end('reached')).on('error', ({ code }) => end(code));
}).listen(process.env.PORT);`;
  await zone.deploy(await fixture.buildImage(await fixture.createAppRepo(app)));
  expect(JSON.parse((await zone.request()).body)).toEqual({
    reached: 'ECONNREFUSED',
    written: ['EROFS', 'EROFS', 'EROFS', 'written'],
  });
});

it('passes the port, the host and the Release to the app, and no variables of the service', async () => {
  const fixture = await startClusterFixture();
  const zone = new DeployedZone(fixture);
  await zone.deploy(
    await fixture.buildImage(
      await fixture.createAppRepo(
        `${server} createServer((_, response) => response.end(JSON.stringify(process.env))).listen(process.env.PORT);`,
      ),
    ),
  );
  const environment = JSON.parse((await zone.request()).body) as Record<string, string>;
  expect(environment).toMatchObject({
    HOST: '127.0.0.1',
    PORT: '3000',
    NODE_ENV: 'production',
    RELEASE_NAME: 'hello-v1.0.0',
    RELEASE_VERSION: 'v1.0.0',
    RELEASE_COMMIT: 'c0ffee',
  });
  expect(Object.keys(environment)).not.toContain('START_COMMAND');
});

it("writes the output of an app to its zone's log", async () => {
  const fixture = await startClusterFixture();
  const zone = new DeployedZone(fixture);
  await zone.deploy(
    await fixture.buildImage(
      await fixture.createAppRepo(
        `${server} createServer(() => {}).listen(process.env.PORT, () => console.log('at your service'));`,
      ),
    ),
  );
  const file = join(fixture.folder, 'cluster', 'logs', 'hello-rc.log');
  await eventually(async () =>
    expect(await readFile(file, 'utf8')).toMatch(/^\S+Z hello-rc-\w{8}-\w{5}\/0 at your service$/m),
  );
});

it('sends SIGTERM to an app behind a shell before it kills the app', async () => {
  const fixture = await startClusterFixture();
  const zone = new DeployedZone(fixture);
  const app = `${server} createServer(() => {}).listen(process.env.PORT);
process.on('SIGTERM', () => setTimeout(() => { console.log('all done'); process.exit(); }, 200));`;
  await zone.deploy(
    await fixture.buildImage(
      await fixture.createRepo({ 'app.mjs': app, Procfile: 'web: echo one; node app.mjs; echo two\n' }),
    ),
  );
  await fixture.cluster.close();
  expect(await readFile(join(fixture.folder, 'cluster', 'logs', 'hello-rc.log'), 'utf8')).toContain('all done');
});

it('runs the zones after a restart without reading the repo', async () => {
  const { fixture, zone } = await startRunningZone();
  await fixture.cluster.close();
  await rm(zone.gitops, { recursive: true });
  await fixture.start();
  await eventually(async () => expect(await zone.readVersion()).toBe('v1.0.0'));
});

it('completes an operation that a shutdown interrupted', async () => {
  const { fixture, zone, digest } = await startRunningZone();
  await fixture.cluster.close();
  const startedAt = new Date().toISOString();
  await fixture.store.updateStatus(ApplicationKind, zone.ref, ({ status }) => ({
    ...status,
    operationState: { phase: 'Running' as const, startedAt },
  }));
  await fixture.start();
  await eventually(async () =>
    expect((await zone.getStatus()).operationState).toMatchObject({
      phase: 'Succeeded',
      startedAt: expect.any(String),
    }),
  );
  await zone.waitForHealth('Healthy');
  expect((await zone.getStatus()).summary?.images).toEqual([`${imageName}@${digest}`]);
});

it('stops the zone of a deleted Application before removing its finalizer, and runs a later one of the same name', async () => {
  const { fixture, zone, digest } = await startRunningZone();
  await fixture.store.delete(ApplicationKind, zone.ref);
  await eventually(async () => expect(await fixture.store.find(ApplicationKind, zone.ref)).toBeUndefined());
  expect((await zone.request()).status).toBe(404);
  await zone.deploy(digest, { version: 'v3.0.0' });
  expect(await zone.readVersion()).toBe('v3.0.0');
});

it('finalizes an Application that was deleted while the cluster was stopped', async () => {
  const { fixture, zone } = await startRunningZone();
  await fixture.cluster.close();
  await fixture.store.delete(ApplicationKind, zone.ref);
  expect((await fixture.store.get(ApplicationKind, zone.ref)).metadata.deletionTimestamp).toBeDefined();
  await fixture.start();
  await eventually(async () => expect(await fixture.store.find(ApplicationKind, zone.ref)).toBeUndefined());
});

it('reports a comparison error for a missing values file, and keeps the version running', async () => {
  const { zone } = await startRunningZone();
  await rm(join(zone.gitops, 'zones'), { recursive: true });
  await commitAll(zone.gitops, 'remove the values file');
  await zone.refresh();
  await eventually(async () => {
    const { conditions, sync } = await zone.getStatus();
    expect(conditions).toMatchObject([
      { type: 'ComparisonError', message: expect.stringContaining('zones/hello-rc.yaml') },
    ]);
    expect(sync?.status).toBe('Unknown');
  });
  expect(await zone.readVersion()).toBe('v1.0.0');
});

it('rejects a values file outside the repo', async () => {
  const fixture = await startClusterFixture();
  const zone = new DeployedZone(fixture);
  await zone.createApplication('../../outside.yaml');
  await eventually(async () => {
    expect((await zone.getStatus()).conditions).toMatchObject([
      { message: 'The values file ../../outside.yaml is outside the repo.' },
    ]);
  });
  expect((await zone.getStatus()).health?.status).toBe('Missing');
});

it('starts several zones of one repo concurrently', async () => {
  const fixture = await startClusterFixture();
  const digest = await fixture.buildImage(await fixture.createSampleRepo());
  const zones = ['hello-rc', 'hello', 'hello-test'].map((name) => new DeployedZone(fixture, name));
  let revision = '';
  for (const zone of zones) revision = await zone.commitValues(digest);
  await Promise.all(zones.map(async (zone) => await zone.createApplication()));
  await Promise.all(zones.map(async (zone) => await zone.waitUntilRunning(digest, revision)));
  expect(await Promise.all(zones.map(async (zone) => await zone.readVersion()))).toEqual([
    'v1.0.0',
    'v1.0.0',
    'v1.0.0',
  ]);
});
