import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  ClusterEventKind,
  PersistentVolumeClaimKind,
  type Pod,
  PodKind,
} from '../../../src/rules/environments/cluster-kinds.ts';
import { ApplicationKind } from '../../../src/rules/environments/delivery-kinds.ts';
import type { Kind, StoredObject } from '../../../src/rules/resource.ts';
import { ZoneObjects } from '../../../src/local/cluster/zone-objects.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import { type Values, type World, ZoneOf, aWorld, eventually } from './a-cluster.ts';

const server = "import { createServer } from 'node:http';";
const keeper = `${server} import { appendFileSync } from 'node:fs';
try { appendFileSync('/data/kept', 'x'); } catch {}
console.log('something private');
createServer((_, response) => response.end()).listen(process.env.PORT);`;
const namespace = 'hello-rc';
const withVolume: Values = {
  persistence: [{ name: 'data', size: '1Gi', mountPath: '/data' }],
  strategy: 'Recreate',
};

async function aZone(values: Values = {}): Promise<{ world: World; zone: ZoneOf; digest: string }> {
  const world = await aWorld({ measureEveryMs: 200 });
  const zone = new ZoneOf(world);
  const digest = await world.build(await world.app(keeper));
  await zone.deploy(digest, values);
  return { world, zone, digest };
}

const podsOf = async ({ store }: World): Promise<Pod[]> => (await store.list(PodKind, { namespace })).items;
const untilReady = async (world: World, count: number): Promise<Pod[]> =>
  await eventually(async () => {
    const pods = await podsOf(world);
    expect(pods.map(({ status }) => status?.containerStatuses?.[0]?.ready)).toEqual(
      Array.from({ length: count }, () => true),
    );
    return pods;
  });
const kept = async ({ folder }: World): Promise<string> =>
  await readFile(join(folder, 'cluster', 'volumes', namespace, 'data', 'kept'), 'utf8');

it('a version has pods of its own, and those of the one before go with it', async () => {
  const { world, zone, digest } = await aZone({ replicas: 2 });
  const before = await untilReady(world, 2);
  await zone.replace(digest, 'v2.0.0');
  const [after] = await untilReady(world, 1);
  expect(after?.metadata.labels).toMatchObject({ 'app.kubernetes.io/version': 'v2.0.0' });
  expect(before.map(({ metadata }) => metadata.name)).not.toContain(after?.metadata.name);
});

it('a pod that is well is written a few times and then not again', async () => {
  const { world } = await aZone();
  const [pod] = await untilReady(world, 1);
  const over = AbortSignal.timeout(1_500);
  const { resourceVersion = '' } = pod?.metadata ?? {};
  const seen = await Array.fromAsync(world.store.watch(PodKind, { namespace, resourceVersion, signal: over }));
  expect(seen).toEqual([]);
});

it('a volume that is asked for no more keeps its claim and its data', async () => {
  const { world, zone, digest } = await aZone(withVolume);
  expect(await kept(world)).toBe('x');
  const claims = async () => (await world.store.list(PersistentVolumeClaimKind, { namespace })).items;
  expect(await claims()).toMatchObject([
    { metadata: { name: 'data' }, spec: { resources: { requests: { storage: '1Gi' } } }, status: { phase: 'Bound' } },
  ]);
  await zone.replace(digest, 'v2.0.0');
  expect(await claims()).toHaveLength(1);
  await zone.write(digest, { version: 'v3.0.0', ...withVolume });
  await zone.refresh();
  await eventually(async () => expect(await kept(world)).toBe('xx'));
});

it('nothing of a zone stays when its Application goes, so that another of its name starts empty', async () => {
  const { world, zone } = await aZone(withVolume);
  await untilReady(world, 1);
  const logFile = join(world.folder, 'cluster', 'logs', `${namespace}.log`);
  const used = async () => {
    const step = { from: new Date(0), to: new Date(Date.now() + 60_000), stepSeconds: 60 };
    return await world.cluster.telemetry.series(namespace, step);
  };
  await eventually(async () => expect(await used()).toHaveLength(1));
  await eventually(async () => expect(await readFile(logFile, 'utf8')).toContain('private'));
  await world.store.delete(ApplicationKind, zone.ref);
  await eventually(async () => expect(await world.store.find(ApplicationKind, zone.ref)).toBeUndefined());
  const left = await Promise.all(
    [PodKind, ClusterEventKind, PersistentVolumeClaimKind].map(async (kind: Kind<StoredObject>) => {
      return (await world.store.list(kind, { namespace })).items;
    }),
  );
  expect(left.flat()).toEqual([]);
  expect(await used()).toEqual([]);
  for (const path of [`logs/${namespace}.log`, `volumes/${namespace}`])
    await expect(access(join(world.folder, 'cluster', path))).rejects.toThrow('ENOENT');
});

it('pods of a process that was killed are replaced by those that run', async () => {
  const { world } = await aZone();
  const [pod] = await untilReady(world, 1);
  await world.cluster.close();
  expect(await podsOf(world)).toEqual([]);
  const { name, labels = {} } = pod?.metadata ?? { name: '' };
  // As a process leaves it that had no time to say that it ends.
  await world.store.create(PodKind, { metadata: { namespace, name, labels }, spec: pod?.spec ?? { containers: [] } });
  await world.start();
  const [running] = await untilReady(world, 1);
  expect(running?.metadata.name).not.toBe(name);
});

it('events that say the same are one that is counted, and the oldest make way', async () => {
  const store = openSqliteStore({ file: ':memory:' });
  const objects = new ZoneObjects(store, namespace, () => {});
  const tell = (pod: string): void => objects.tell({ pod, type: 'Warning', reason: 'BackOff', message: 'again' });
  for (let at = 0; at < 120; at += 1) tell(`pod-${at}`);
  const again = new ZoneObjects(store, namespace, () => {});
  await eventually(async () => expect((await store.list(ClusterEventKind)).items).toHaveLength(100));
  again.tell({ pod: 'pod-119', type: 'Warning', reason: 'BackOff', message: 'again' });
  await eventually(async () => {
    const { items } = await store.list(ClusterEventKind);
    const pods = items.map(({ involvedObject }) => involvedObject.name);
    expect(pods).toHaveLength(100);
    expect(pods).not.toContain('pod-19');
    expect(items.find(({ involvedObject }) => involvedObject.name === 'pod-119')?.count).toBe(2);
  });
  await store.close();
});
