import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CoreV1EventKind, PersistentVolumeClaimKind, type Pod, PodKind } from '../../../src/kinds/kubernetes.ts';
import { ApplicationKind } from '../../../src/kinds/argo-cd.ts';
import type { Kind, StoredObject } from '../../../src/rules/resource.ts';
import { ZoneObjects } from '../../../src/emulators/cluster/zone-objects.ts';
import { openMemoryStore } from '../../support/open-test-store.ts';
import {
  type ZoneValuesOptions,
  type ClusterFixture,
  DeployedZone,
  startClusterFixture,
  eventually,
} from './cluster-fixture.ts';

const server = "import { createServer } from 'node:http';";
const volumeApp = `${server} import { appendFileSync } from 'node:fs';
try { appendFileSync('/data/kept', 'x'); } catch {}
console.log('something private');
createServer((_, response) => response.end()).listen(process.env.PORT);`;
const namespace = 'hello-rc';
const withVolume: ZoneValuesOptions = {
  persistence: [{ name: 'data', size: '1Gi', mountPath: '/data' }],
  strategy: 'Recreate',
};

async function startZone(
  values: ZoneValuesOptions = {},
): Promise<{ fixture: ClusterFixture; zone: DeployedZone; digest: string }> {
  const fixture = await startClusterFixture({ usageIntervalMs: 200 });
  const zone = new DeployedZone(fixture);
  const digest = await fixture.buildImage(await fixture.createAppRepo(volumeApp));
  await zone.deploy(digest, values);
  return { fixture, zone, digest };
}

const listPods = async ({ store }: ClusterFixture): Promise<Pod[]> => (await store.list(PodKind, { namespace })).items;
const waitForReadyPods = async (fixture: ClusterFixture, count: number): Promise<Pod[]> =>
  await eventually(async () => {
    const pods = await listPods(fixture);
    expect(pods.map(({ status }) => status?.containerStatuses?.[0]?.ready)).toEqual(
      Array.from({ length: count }, () => true),
    );
    return pods;
  });
const readKeptFile = async ({ folder }: ClusterFixture): Promise<string> =>
  await readFile(join(folder, 'cluster', 'volumes', namespace, 'data', 'kept'), 'utf8');

it('replaces the pods of the previous version with new ones', async () => {
  const { fixture, zone, digest } = await startZone({ replicas: 2 });
  const before = await waitForReadyPods(fixture, 2);
  await zone.replace(digest, 'v2.0.0');
  const [after] = await waitForReadyPods(fixture, 1);
  expect(after?.metadata.labels).toMatchObject({ 'app.kubernetes.io/version': 'v2.0.0' });
  expect(before.map(({ metadata }) => metadata.name)).not.toContain(after?.metadata.name);
});

it('does not update a healthy pod', async () => {
  const { fixture } = await startZone();
  const [pod] = await waitForReadyPods(fixture, 1);
  const signal = AbortSignal.timeout(1_500);
  const { resourceVersion = '' } = pod?.metadata ?? {};
  const changes = await Array.fromAsync(fixture.store.watch(PodKind, { namespace, resourceVersion, signal }));
  expect(changes).toEqual([]);
});

it('keeps the claim and the data of a removed volume', async () => {
  const { fixture, zone, digest } = await startZone(withVolume);
  expect(await readKeptFile(fixture)).toBe('x');
  const claims = async () => (await fixture.store.list(PersistentVolumeClaimKind, { namespace })).items;
  expect(await claims()).toMatchObject([
    { metadata: { name: 'data' }, spec: { resources: { requests: { storage: '1Gi' } } }, status: { phase: 'Bound' } },
  ]);
  await zone.replace(digest, 'v2.0.0');
  expect(await claims()).toHaveLength(1);
  await zone.commitValues(digest, { version: 'v3.0.0', ...withVolume });
  await zone.refresh();
  await eventually(async () => expect(await readKeptFile(fixture)).toBe('xx'));
});

it('kills an app that fills its volume, says so, and lets it run without writing more', async () => {
  const fixture = await startClusterFixture();
  const zone = new DeployedZone(fixture);
  const greedyApp = `${server} import { writeFileSync } from 'node:fs';
    if (process.env.RELEASE_VERSION === 'v1.0.0')
      for (let part = 0; part < 12; part += 1) setTimeout(() => writeFileSync('/data/part' + part, Buffer.alloc(2 ** 20, 'x')), 300);
    createServer((_, response) => response.end()).listen(process.env.PORT);`;
  const values: ZoneValuesOptions = { ...withVolume, persistence: [{ name: 'data', size: '8Mi', mountPath: '/data' }] };
  const digest = await fixture.buildImage(await fixture.createAppRepo(greedyApp));
  await zone.deploy(digest, values);
  const message = 'The volume "data" is full: it holds at most 8388608 bytes and 512 files.';
  await eventually(async () => {
    const [pod] = await listPods(fixture);
    const terminated = pod?.status?.containerStatuses?.[0]?.lastState?.terminated;
    expect(terminated).toMatchObject({ exitCode: 137, message: expect.stringContaining(message) as string });
  });
  await zone.commitValues(digest, { version: 'v2.0.0', ...values });
  await zone.refresh();
  await eventually(async () => {
    const [pod] = await waitForReadyPods(fixture, 1);
    expect(pod?.metadata.labels).toMatchObject({ 'app.kubernetes.io/version': 'v2.0.0' });
  });
});

it('deletes all data of a zone with its Application, so that a later zone of its name starts empty', async () => {
  const { fixture, zone } = await startZone(withVolume);
  await waitForReadyPods(fixture, 1);
  const logFile = join(fixture.folder, 'cluster', 'logs', `${namespace}.log`);
  const readUsage = async () => {
    const step = { from: new Date(0), to: new Date(Date.now() + 60_000), stepSeconds: 60 };
    return await fixture.cluster.telemetry.querySeries(namespace, step);
  };
  await eventually(async () => expect(await readUsage()).toHaveLength(1));
  await eventually(async () => expect(await readFile(logFile, 'utf8')).toContain('private'));
  await fixture.store.delete(ApplicationKind, zone.ref);
  await eventually(async () => expect(await fixture.store.find(ApplicationKind, zone.ref)).toBeUndefined());
  const remaining = await Promise.all(
    [PodKind, CoreV1EventKind, PersistentVolumeClaimKind].map(async (kind: Kind<StoredObject>) => {
      return (await fixture.store.list(kind, { namespace })).items;
    }),
  );
  expect(remaining.flat()).toEqual([]);
  expect(await readUsage()).toEqual([]);
  for (const path of [`logs/${namespace}.log`, `volumes/${namespace}`])
    await expect(access(join(fixture.folder, 'cluster', path))).rejects.toThrow('ENOENT');
});

it('removes a zone whose app wrote to paths that are too long', async () => {
  const fixture = await startClusterFixture();
  const zone = new DeployedZone(fixture);
  const nestingApp = `${server} import { mkdirSync } from 'node:fs';
process.chdir('/data');
for (let i = 0; i < 600; i += 1) { mkdirSync('dddddddddd'); process.chdir('dddddddddd'); }
createServer((_, response) => response.end()).listen(process.env.PORT);`;
  await zone.deploy(await fixture.buildImage(await fixture.createAppRepo(nestingApp)), withVolume);
  await fixture.store.delete(ApplicationKind, zone.ref);
  await eventually(async () => expect(await fixture.store.find(ApplicationKind, zone.ref)).toBeUndefined());
  await expect(access(join(fixture.folder, 'cluster', 'volumes', namespace))).rejects.toThrow('ENOENT');
});

it('replaces the pods of a crashed process at the next start', async () => {
  const { fixture } = await startZone();
  const [pod] = await waitForReadyPods(fixture, 1);
  await fixture.cluster.close();
  expect(await listPods(fixture)).toEqual([]);
  const { name, labels = {} } = pod?.metadata ?? { name: '' };
  // A crashed process leaves its pod behind.
  await fixture.store.create(PodKind, { metadata: { namespace, name, labels }, spec: pod?.spec ?? { containers: [] } });
  await fixture.start();
  const [running] = await waitForReadyPods(fixture, 1);
  expect(running?.metadata.name).not.toBe(name);
});

it('counts equal events in one object and deletes the oldest ones above the limit', async () => {
  const store = openMemoryStore();
  const objects = new ZoneObjects(store, namespace, () => {});
  const emitBackOff = (pod: string): void =>
    objects.emitEvent({ pod, type: 'Warning', reason: 'BackOff', message: 'again' });
  for (let at = 0; at < 120; at += 1) emitBackOff(`pod-${at}`);
  const restarted = new ZoneObjects(store, namespace, () => {});
  await eventually(async () => {
    const names = (await store.list(CoreV1EventKind)).items.map(({ involvedObject }) => involvedObject.name);
    expect(names).toHaveLength(100);
    expect(names).toContain('pod-119');
  });
  restarted.emitEvent({ pod: 'pod-119', type: 'Warning', reason: 'BackOff', message: 'again' });
  await eventually(async () => {
    const { items } = await store.list(CoreV1EventKind);
    const pods = items.map(({ involvedObject }) => involvedObject.name);
    expect(pods).toHaveLength(100);
    expect(pods).not.toContain('pod-19');
    expect(items.find(({ involvedObject }) => involvedObject.name === 'pod-119')?.count).toBe(2);
  });
  await store.close();
});
