import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { getZoneNamespaceState } from '../../src/store/zone-namespace.ts';
import { PodKind, SecretKind } from '../../src/kinds/kubernetes.ts';
import { connectWorkloadClusters } from '../../src/main/wiring/telemetry/workload-clusters.ts';
import { podSecurityLabel, zoneNamespaceLabels } from '../../src/rules/environments/zone-namespace.ts';
import { ProductKind } from '../../src/rules/products/kinds.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { buildKubeconfig } from './control-plane/kubeconfig.ts';
import { kubectl } from './control-plane/kubectl.ts';
import { startControlPlane, type ControlPlane } from './control-plane/start-control-plane.ts';
import { getMachineAddress } from './proxies/machine-address.ts';

const manifest = fileURLToPath(new URL('../../deploy/workload-cluster.yaml', import.meta.url));
const zone = 'hello-far';
const product = { namespace: 'org-acme', name: 'hello' };
const store = openSqliteStore({ file: ':memory:' });
let second: ControlPlane;
let workload: Awaited<ReturnType<typeof connectWorkloadClusters>>;
let closeApp: () => void;
let folder: string;

/** Serves an app at an address of this machine: the API server connects to no loopback address. */
async function startApp(): Promise<{ address: string; port: number }> {
  const address = getMachineAddress();
  const server = createServer((request, response) => {
    if (request.url === '/') response.end('Hello');
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  closeApp = () => void server.close();
  return { address, port: (server.address() as AddressInfo).port };
}

beforeAll(async () => {
  second = await startControlPlane();
  await kubectl(second, ['apply', '--server-side', `--filename=${manifest}`]);
  const { metadata } = await store.create(ProductKind, {
    metadata: product,
    spec: { repos: [], delivery: { zones: [{ name: zone, promotionPolicy: 'automatic', cluster: 'apart' }] } },
  });
  const labels = {
    ...zoneNamespaceLabels({ org: 'acme', product: 'hello', zone, uid: metadata.uid }),
    [podSecurityLabel]: 'baseline',
  };
  const app = await startApp();
  const named = (name: string) => ({ namespace: zone, name });
  const objects = [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: zone, labels } },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: named('hello'),
      spec: { ports: [{ name: 'http', port: 80, targetPort: app.port }] },
    },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: named('hello-1'),
      spec: { containers: [{ name: 'app', image: 'app' }], automountServiceAccountToken: false },
    },
    {
      apiVersion: 'v1',
      kind: 'Endpoints',
      metadata: named('hello'),
      subsets: [
        {
          addresses: [{ ip: app.address, targetRef: { kind: 'Pod', ...named('hello-1') } }],
          ports: [{ name: 'http', port: app.port }],
        },
      ],
    },
    { apiVersion: 'v1', kind: 'Secret', metadata: named('theirs'), stringData: { key: 'value' } },
  ];
  const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
  await kubectl(second, ['apply', '--server-side', '--filename=-'], list);
  // The API server connects only to addresses of pods.
  const status = { podIP: app.address, podIPs: [{ ip: app.address }] };
  const patch = `--patch=${JSON.stringify({ status })}`;
  await kubectl(second, ['patch', 'pod', 'hello-1', `--namespace=${zone}`, '--subresource=status', patch]);
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
  closeApp?.();
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
  const pods = await cluster?.objects.list(PodKind, { namespace: zone });
  expect(pods?.items.map(({ metadata }) => metadata.name)).toEqual(['hello-1']);
  // The pod has no node, and so no log.
  expect(await cluster?.telemetry.queryLogs(zone, { tailLines: 5 })).toEqual([{ pod: 'hello-1', lines: [] }]);
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

it('requests the app of a zone through the API server of its cluster', async () => {
  const cluster = workload.clusters.get('test');
  const signal = AbortSignal.timeout(120_000);
  await expect
    .poll(() => cluster?.requestService({ namespace: zone, name: 'hello' }, signal))
    .toEqual({ status: 200, body: 'Hello' });
  const missing = await cluster?.requestService({ namespace: zone, name: 'other' }, signal);
  expect(missing?.status).toBeGreaterThanOrEqual(400);
});
