import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { getZoneNamespaceState } from '../../src/store/zone-namespace.ts';
import { PodKind, SecretKind } from '../../src/kinds/kubernetes.ts';
import { connectWorkloadClusters } from '../../src/main/wiring/workload-clusters.ts';
import { zoneNamespaceLabels } from '../../src/rules/environments/zone-namespace.ts';
import { ProductKind } from '../../src/rules/products/kinds.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { buildKubeconfig } from './control-plane/kubeconfig.ts';
import { kubectl } from './control-plane/kubectl.ts';
import { startControlPlane, type ControlPlane } from './control-plane/start-control-plane.ts';

const manifest = fileURLToPath(new URL('../../deploy/workload-cluster.yaml', import.meta.url));
const zone = 'hello-far';
const product = { namespace: 'org-acme', name: 'hello' };
const store = openSqliteStore({ file: ':memory:' });
let second: ControlPlane;
let workload: Awaited<ReturnType<typeof connectWorkloadClusters>>;
let folder: string;

beforeAll(async () => {
  second = await startControlPlane();
  await kubectl(second, ['apply', '--server-side', `--filename=${manifest}`]);
  const { metadata } = await store.create(ProductKind, {
    metadata: product,
    spec: { repos: [], delivery: { zones: [{ name: zone, promotionPolicy: 'automatic', cluster: 'apart' }] } },
  });
  const labels = zoneNamespaceLabels({ org: 'acme', product: 'hello', zone, uid: metadata.uid });
  const named = (name: string) => ({ namespace: zone, name });
  const objects = [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: zone, labels } },
    { apiVersion: 'v1', kind: 'Secret', metadata: named('theirs'), stringData: { key: 'value' } },
  ];
  const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
  await kubectl(second, ['apply', '--server-side', '--filename=-'], list);
  const account = ['create', 'token', 'service-zones', '--namespace=service-system', '--duration=1h'];
  const token = (await kubectl(second, account)).trim();
  const { server, caData } = second;
  folder = await mkdtemp(join(tmpdir(), 'workload-'));
  const workloadKubeconfig = join(folder, 'kubeconfig');
  await writeFile(workloadKubeconfig, buildKubeconfig({ server, caData, token }));
  workload = await connectWorkloadClusters({
    workloadClusters: ['test'],
    workloadKubeconfig,
    workloadPrometheus: new Map(),
    prometheus: undefined,
  });
}, 180_000);
afterAll(async () => {
  await workload?.close();
  await store.close();
  await second?.stop();
  if (folder) await rm(folder, { recursive: true, force: true });
});

it('reads a zone in its cluster with the account of the manifest, which can write nothing', async () => {
  const cluster = workload.clusters.get('test');
  const ref = { org: 'acme', product: 'hello', zone };
  expect(await getZoneNamespaceState(store, ref, cluster?.objects)).toBe('own');
  expect(await getZoneNamespaceState(store, ref)).toBe('missing');
  expect((await cluster?.objects.list(PodKind, { namespace: zone }))?.items).toEqual([]);
  expect(await cluster?.telemetry.queryLogs(zone, { tailLines: 5 })).toEqual([]);
  await expect(cluster?.objects.find(SecretKind, { namespace: zone, name: 'theirs' })).rejects.toThrow(/forbidden/);
  const can = async (verb: string, resource: string): Promise<string> =>
    (
      await kubectl(second, [
        'auth',
        'can-i',
        verb,
        resource,
        `--namespace=${zone}`,
        '--as=system:serviceaccount:service-system:service-zones',
      ]).catch(() => 'no')
    ).trim();
  expect(await can('list', 'pods')).toBe('yes');
  for (const [verb, resource] of [
    ['create', 'pods'],
    ['create', 'services/proxy'],
    ['delete', 'namespaces'],
    ['get', 'secrets'],
    ['create', 'pods/exec'],
  ] as const)
    expect(await can(verb, resource), `${verb} ${resource}`).toBe('no');
});
