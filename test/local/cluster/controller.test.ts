import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type ApplicationStatus, ApplicationKind } from '../../../src/rules/environments/delivery-kinds.ts';
import { type World, ZoneOf, aSecretPort, aWorld, commit, eventually, image } from './a-cluster.ts';

const server = "import { createServer } from 'node:http';";

/** The sample running as v1.0.0. */
async function aRunningZone(): Promise<{ world: World; zone: ZoneOf; digest: string }> {
  const world = await aWorld();
  const zone = new ZoneOf(world);
  const digest = await world.build(await world.sample());
  await zone.deploy(digest);
  return { world, zone, digest };
}

/** All that the status says from now on. */
function statusesOf(zone: ZoneOf): ApplicationStatus[] {
  const seen: ApplicationStatus[] = [];
  const over = new AbortController();
  onTestFinished(() => over.abort());
  void (async () => {
    for await (const { object } of zone.world.store.watch(ApplicationKind, { ...zone.ref, signal: over.signal }))
      seen.push(object.status ?? {});
  })().catch(() => undefined);
  return seen;
}

it('tells a deployment in the order of the real one: the old health stands for a moment after the sync', async () => {
  const { world, zone, digest } = await aRunningZone();
  const next = await world.build(
    await world.app(`${server} createServer((_, response) => response.end()).listen(process.env.PORT);`),
  );
  const seen = statusesOf(zone);
  const revision = await zone.replace(next);
  await eventually(async () => expect(seen.at(-1)?.summary?.images).toEqual([`${image}@${next}`]));

  const told = seen.map(
    ({ operationState, sync, health }) => `${operationState?.phase} ${sync?.status} ${health?.status}`,
  );
  const distinct = told.filter((one, at) => one !== told[at - 1]);
  expect(distinct.slice(-4)).toEqual([
    'Running OutOfSync Healthy',
    'Succeeded Synced Healthy',
    'Succeeded Synced Progressing',
    'Succeeded Synced Healthy',
  ]);
  const stale = seen.find(
    ({ sync, operationState }) => sync?.status === 'Synced' && operationState?.syncResult?.revision === revision,
  );
  expect(stale?.summary?.images).toEqual([`${image}@${digest}`]);
  expect(Date.parse(stale?.reconciledAt ?? '')).toBeLessThanOrEqual(
    Date.parse(stale?.operationState?.finishedAt ?? ''),
  );
});

it('takes the refresh annotation away', async () => {
  const { world, zone } = await aRunningZone();
  await zone.refresh();
  await eventually(async () =>
    expect((await world.store.get(ApplicationKind, zone.ref)).metadata.annotations ?? {}).toEqual({}),
  );
});

it('a commit that changes nothing of a zone moves its revision and leaves its processes alone', async () => {
  const { zone, digest } = await aRunningZone();
  const { operationState } = await zone.status();
  await writeFile(join(zone.gitops, 'other'), 'product');
  const revision = await commit(zone.gitops, 'another product');
  const seen = statusesOf(zone);
  await zone.refresh();
  await eventually(async () => expect((await zone.status()).sync).toEqual({ status: 'Synced', revision }));
  expect(await zone.status()).toMatchObject({
    operationState: operationState ?? {},
    summary: { images: [`${image}@${digest}`] },
  });
  expect((await zone.status()).operationState ?? {}).toEqual(operationState);
  expect(seen.map(({ health }) => health?.status)).not.toContain('Progressing');
});

it('a version that does not start is Degraded with its last words and leaves the one before serving', async () => {
  const { world, zone, digest } = await aRunningZone();
  await zone.write(await world.build(await world.app("console.log('out of luck'); process.exit(7);")), {
    version: 'v2.0.0',
  });
  await zone.refresh();
  const { health, summary, sync } = await zone.untilHealthIs('Degraded');
  expect(health?.message).toContain('out of luck');
  expect(sync?.status).toBe('Synced');
  expect(summary?.images).toEqual([`${image}@${digest}`]);
  expect(await zone.version()).toBe('v1.0.0');
});

it('an image that does not exist is Degraded, and the way back is the version before', async () => {
  const { zone, digest } = await aRunningZone();
  await zone.write(`sha256:${'0'.repeat(64)}`, { version: 'v2.0.0' });
  await zone.refresh();
  expect((await zone.untilHealthIs('Degraded')).health?.message).toContain('ImagePullBackOff');
  await zone.replace(digest, 'v1.0.0');
  expect(await zone.version()).toBe('v1.0.0');
});

it('a version that starts at a later try becomes healthy by itself', async () => {
  const world = await aWorld();
  const zone = new ZoneOf(world);
  const digest = await world.build(await world.sample());
  const images = join(world.folder, 'cluster', 'images');
  const manifest = join(images, digest.replace(':', '-'), 'manifest.json');
  const text = await readFile(manifest);
  await rm(manifest);
  await zone.write(digest);
  await zone.createApplication();
  await zone.untilHealthIs('Degraded');
  await writeFile(manifest, text);
  await zone.untilHealthIs('Healthy');
  expect(await zone.version()).toBe('v1.0.0');
});

it('an app that dies is started again', async () => {
  const world = await aWorld();
  const zone = new ZoneOf(world);
  const app = `${server} createServer(({ url }, response) => (url === '/die' ? process.exit(1) : response.end('here'))).listen(process.env.PORT);`;
  await zone.deploy(await world.build(await world.app(app)));
  expect((await zone.ask({ path: '/die' })).status).toBe(502);
  await eventually(async () => expect(await zone.ask()).toMatchObject({ status: 200, body: 'here' }));
  await zone.untilHealthIs('Healthy');
});

it('an app that keeps dying is Degraded', async () => {
  const world = await aWorld();
  const zone = new ZoneOf(world);
  const app = `${server} createServer(() => {}).listen(process.env.PORT, () => setTimeout(() => process.exit(1), 300));`;
  await zone.write(await world.build(await world.app(app)));
  await zone.createApplication();
  expect((await zone.untilHealthIs('Degraded')).health?.message).toMatch(
    /^CrashLoopBackOff: the app ended \d+ times in a row/,
  );
});

it('a zone of no replicas is Healthy and runs nothing', async () => {
  const world = await aWorld();
  const zone = new ZoneOf(world);
  await zone.deploy(await world.build(await world.sample()), { replicas: 0 });
  expect(await zone.ask()).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
});

it('an app can reach nothing of the machine it runs on, and write nothing outside its own /tmp', async () => {
  const world = await aWorld();
  const zone = new ZoneOf(world);
  const port = await aSecretPort();
  const app = `import { get, createServer } from 'node:http';
import { writeFileSync } from 'node:fs';
const refusal = (path) => { try { writeFileSync(path, ''); return 'written'; } catch ({ code }) { return code; } };
createServer((_, response) => {
  const written = ['/workspace/x', '/service/host/x', '/service/x', '/tmp/x'].map(refusal);
  const end = (reached) => response.end(JSON.stringify({ reached, written }));
  get('http://127.0.0.1:${port}', () => end('reached')).on('error', ({ code }) => end(code));
}).listen(process.env.PORT);`;
  await zone.deploy(await world.build(await world.app(app)));
  expect(JSON.parse((await zone.ask()).body)).toEqual({
    reached: 'ECONNREFUSED',
    written: ['EROFS', 'EROFS', 'EROFS', 'written'],
  });
});

it('tells an app its port, its host and its Release, and nothing of ours', async () => {
  const world = await aWorld();
  const zone = new ZoneOf(world);
  await zone.deploy(
    await world.build(
      await world.app(
        `${server} createServer((_, response) => response.end(JSON.stringify(process.env))).listen(process.env.PORT);`,
      ),
    ),
  );
  const environment = JSON.parse((await zone.ask()).body) as Record<string, string>;
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

it("keeps what an app says in its zone's log", async () => {
  const world = await aWorld();
  const zone = new ZoneOf(world);
  await zone.deploy(
    await world.build(
      await world.app(
        `${server} createServer(() => {}).listen(process.env.PORT, () => console.log('at your service'));`,
      ),
    ),
  );
  const file = join(world.folder, 'cluster', 'logs', 'hello-rc.log');
  await eventually(async () =>
    expect(await readFile(file, 'utf8')).toMatch(/^\S+Z hello-rc-\w{8}-\w{5}\/0 at your service$/m),
  );
});

it('asks an app to end before it ends it, through the shell that started it', async () => {
  const world = await aWorld();
  const zone = new ZoneOf(world);
  const app = `${server} createServer(() => {}).listen(process.env.PORT);
process.on('SIGTERM', () => setTimeout(() => { console.log('all done'); process.exit(); }, 200));`;
  await zone.deploy(
    await world.build(await world.source({ 'app.mjs': app, Procfile: 'web: echo one; node app.mjs; echo two\n' })),
  );
  await world.cluster.close();
  expect(await readFile(join(world.folder, 'cluster', 'logs', 'hello-rc.log'), 'utf8')).toContain('all done');
});

it('after a restart the zones run again without a look at the repo', async () => {
  const { world, zone } = await aRunningZone();
  await world.cluster.close();
  await rm(zone.gitops, { recursive: true });
  await world.start();
  await eventually(async () => expect(await zone.version()).toBe('v1.0.0'));
});

it('ends an operation that the end of a process cut off', async () => {
  const { world, zone, digest } = await aRunningZone();
  await world.cluster.close();
  const startedAt = new Date().toISOString();
  await world.store.updateStatus(ApplicationKind, zone.ref, ({ status }) => ({
    ...status,
    operationState: { phase: 'Running' as const, startedAt },
  }));
  await world.start();
  await eventually(async () =>
    expect((await zone.status()).operationState).toMatchObject({ phase: 'Succeeded', startedAt: expect.any(String) }),
  );
  await zone.untilHealthIs('Healthy');
  expect((await zone.status()).summary?.images).toEqual([`${image}@${digest}`]);
});

it('deleting an Application stops what it deployed before it goes, and another of its name starts anew', async () => {
  const { world, zone, digest } = await aRunningZone();
  await world.store.delete(ApplicationKind, zone.ref);
  await eventually(async () => expect(await world.store.find(ApplicationKind, zone.ref)).toBeUndefined());
  expect((await zone.ask()).status).toBe(404);
  await zone.deploy(digest, { version: 'v3.0.0' });
  expect(await zone.version()).toBe('v3.0.0');
});

it('an Application that was deleted while nobody looked is taken down by the next process', async () => {
  const { world, zone } = await aRunningZone();
  await world.cluster.close();
  await world.store.delete(ApplicationKind, zone.ref);
  expect((await world.store.get(ApplicationKind, zone.ref)).metadata.deletionTimestamp).toBeDefined();
  await world.start();
  await eventually(async () => expect(await world.store.find(ApplicationKind, zone.ref)).toBeUndefined());
});

it('a values file that is missing is a comparison error, and what runs goes on', async () => {
  const { zone } = await aRunningZone();
  await rm(join(zone.gitops, 'zones'), { recursive: true });
  await commit(zone.gitops, 'gone');
  await zone.refresh();
  await eventually(async () => {
    const { conditions, sync } = await zone.status();
    expect(conditions).toMatchObject([
      { type: 'ComparisonError', message: expect.stringContaining('zones/hello-rc.yaml') },
    ]);
    expect(sync?.status).toBe('Unknown');
  });
  expect(await zone.version()).toBe('v1.0.0');
});

it('a values file outside the repo is refused', async () => {
  const world = await aWorld();
  const zone = new ZoneOf(world);
  await zone.createApplication('../../outside.yaml');
  await eventually(async () => {
    expect((await zone.status()).conditions).toMatchObject([
      { message: 'The values file ../../outside.yaml is outside the repo.' },
    ]);
  });
  expect((await zone.status()).health?.status).toBe('Missing');
});

it('several zones of one repo come up together', async () => {
  const world = await aWorld();
  const digest = await world.build(await world.sample());
  const zones = ['hello-rc', 'hello', 'hello-test'].map((name) => new ZoneOf(world, name));
  let revision = '';
  for (const zone of zones) revision = await zone.write(digest);
  await Promise.all(zones.map(async (zone) => await zone.createApplication()));
  await Promise.all(zones.map(async (zone) => await zone.untilRuns(digest, revision)));
  expect(await Promise.all(zones.map(async (zone) => await zone.version()))).toEqual(['v1.0.0', 'v1.0.0', 'v1.0.0']);
});
