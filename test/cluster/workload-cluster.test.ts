import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createEnvironmentActivities } from '../../activities/environments/environment-activities.ts';
import { loadConfig } from '../../src/config.ts';
import { octokitCodehost } from '../../src/integrations/codehost/octokit.ts';
import { getZoneNamespaceState } from '../../src/store/zone-namespace.ts';
import { NamespaceKind, PodKind, SecretKind } from '../../src/kinds/kubernetes.ts';
import { connectAddedClusters } from '../../src/main/wiring/telemetry/added-clusters.ts';
import { podSecurityLabel, zoneNamespaceLabels } from '../../src/rules/environments/zone-namespace.ts';
import { ProductKind } from '../../src/rules/products/kinds.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { startShopFixture } from '../emulators/codehost/codehost-fixture.ts';
import { judgeLoopback } from '../support/judge-loopback.ts';
import { type ApiHarness, buildDomainSettings, startApi } from '../support/start-api.ts';
import { trustingJudge } from '../support/trusting-judge.ts';
import { buildKubeconfig } from './control-plane/kubeconfig.ts';
import { kubectl } from './control-plane/kubectl.ts';
import { startControlPlane, type ControlPlane } from './control-plane/start-control-plane.ts';
import { getMachineAddress } from './proxies/machine-address.ts';

const manifest = fileURLToPath(new URL('../../deploy/workload-cluster.yaml', import.meta.url));
const zone = 'hello-far';
const product = { namespace: 'org-acme', name: 'hello' };
const store = openSqliteStore({ file: ':memory:' });
/** The API and a worker are processes of their own, which learn of a cluster from the store alone. */
const [apiClusters, workerClusters] = [
  connectAddedClusters({ store, judge: judgeLoopback }),
  connectAddedClusters({ store, judge: judgeLoopback }),
];
const cleanups: (() => Promise<void>)[] = [];
let second: ControlPlane;
let api: ApiHarness;
let closeApp: () => void;

async function createToken(account: string): Promise<string> {
  const args = ['create', 'token', account, '--namespace=service-system', '--duration=1h'];
  return (await kubectl(second, args)).trim();
}
const toKubeconfig = (token: string): string =>
  buildKubeconfig({ server: second.server, caData: second.caData, token });

type Cluster = {
  findings: { subject: string; result: string; message: string }[];
  fingerprint: string;
  detail: string;
};
async function call(method: string, path: string, body?: object): Promise<{ status: number; body: Cluster }> {
  const response = await api.request(`/v1/clusters${path}`, { method, via: 'session', ...(body && { body }) });
  const text = await response.text();
  return { status: response.status, body: (text ? JSON.parse(text) : {}) as Cluster };
}

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
    {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: named('started'),
      involvedObject: { kind: 'Pod', ...named('hello-1') },
      type: 'Normal',
      reason: 'Started',
      message: 'It runs.',
      lastTimestamp: new Date().toISOString(),
    },
    { apiVersion: 'v1', kind: 'Secret', metadata: named('theirs'), stringData: { key: 'value' } },
  ];
  const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
  await kubectl(second, ['apply', '--server-side', '--filename=-'], list);
  // The API server connects only to addresses of pods.
  const status = { podIP: app.address, podIPs: [{ ip: app.address }] };
  const patch = `--patch=${JSON.stringify({ status })}`;
  await kubectl(second, ['patch', 'pod', 'hello-1', `--namespace=${zone}`, '--subresource=status', patch]);
  api = await startApi({
    store,
    judge: judgeLoopback,
    workloadClusters: apiClusters,
    config: { workloadClusters: [] },
    onCleanup: (close) => void cleanups.push(close),
  });
}, 180_000);
afterAll(async () => {
  closeApp?.();
  for (const cleanup of cleanups) await cleanup();
  await apiClusters.close();
  await workerClusters.close();
  await store.close();
  await second?.stop();
});

it('says which permissions an account lacks', async () => {
  await kubectl(second, ['create', 'serviceaccount', 'poor', '--namespace=service-system']);
  const added = await call('POST', '', { name: 'poor', kubeconfig: toKubeconfig(await createToken('poor')) });
  expect(added.status).toBe(201);
  const permissions = added.body.findings.find(({ subject }) => subject === 'permissions');
  expect(permissions?.result).toBe('failed');
  expect(permissions?.message).toContain('list pods, get pods/log, get events');
  expect((await call('DELETE', '/poor')).status).toBe(204);
});

it('warns of an account that is a cluster admin', async () => {
  const added = await call('POST', '', { name: 'admin', kubeconfig: toKubeconfig(second.adminToken) });
  expect(added.body.findings.find(({ subject }) => subject === 'least-privilege')).toMatchObject({ result: 'warning' });
  expect((await call('DELETE', '/admin')).status).toBe(204);
});

it('finds all that zones need with the account of the manifest', async () => {
  const added = await call('POST', '', { name: 'apart', kubeconfig: toKubeconfig(await createToken('service-zones')) });
  expect(added.status).toBe(201);
  expect(Object.fromEntries(added.body.findings.map(({ subject, result }) => [subject, result]))).toMatchObject({
    connection: 'ok',
    version: 'ok',
    permissions: 'ok',
    'least-privilege': 'ok',
    // The control plane has no Ingress controller and no storage.
    ingress: 'warning',
    storage: 'warning',
  });
});

it('shows the page and the logs of a zone there, without a restart', async () => {
  const path = `/v1/orgs/acme/products/hello/zones/${zone}`;
  const page: unknown = await (await api.request(path)).json();
  expect(page).toMatchObject({
    pods: [{ name: 'hello-1' }],
    events: expect.arrayContaining([expect.objectContaining({ reason: 'Started', message: 'It runs.' })]) as unknown[],
  });
  const logs = await api.request(`${path}/logs`);
  expect(logs.status).toBe(200);
  expect(await logs.text()).toContain('hello-1');
});

it('uses a rotated kubeconfig without a restart', async () => {
  expect(await (await workerClusters.find('apart'))?.objects.list(PodKind, { namespace: zone })).toBeDefined();
  await kubectl(second, ['delete', 'serviceaccount', 'service-zones', '--namespace=service-system']);
  await kubectl(second, ['apply', '--server-side', `--filename=${manifest}`]);
  const readPods = async () => await (await workerClusters.find('apart'))?.objects.list(PodKind, { namespace: zone });
  // The tokens of a deleted account are refused once the API server has noticed.
  await expect.poll(async () => (await call('POST', '/apart/check')).body.findings[0]?.result).toBe('failed');
  await expect(readPods()).rejects.toThrow(/Unauthorized|unauthorized|401/);
  const kubeconfig = toKubeconfig(await createToken('service-zones'));
  expect((await call('PUT', '/apart', { kubeconfig })).status).toBe(200);
  expect((await readPods())?.items.map(({ metadata }) => metadata.name)).toEqual(['hello-1']);
});

it('reads a zone in its cluster with the account of the manifest, which can only create namespaces', async () => {
  const cluster = await workerClusters.find('apart');
  const ref = { org: 'acme', product: 'hello', zone };
  expect(await getZoneNamespaceState(store, ref, cluster?.objects)).toBe('own');
  expect(await getZoneNamespaceState(store, ref)).toBe('missing');
  const pods = await cluster?.objects.list(PodKind, { namespace: zone });
  expect(pods?.items.map(({ metadata }) => metadata.name)).toEqual(['hello-1']);
  // The pod has no node, and so no log.
  expect(await cluster?.telemetry.queryLogs(zone, { tailLines: 5 })).toEqual([{ pod: 'hello-1', lines: [] }]);
  await expect(cluster?.objects.find(SecretKind, { namespace: zone, name: 'theirs' })).rejects.toMatchObject({
    reason: 'cluster-access-denied',
  });
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
  expect(await can('create', 'namespaces')).toBe('yes');
  for (const [verb, resource] of [
    ['create', 'pods'],
    ['create', 'services/proxy'],
    ['delete', 'namespaces'],
    ['patch', 'namespaces'],
    ['update', 'namespaces'],
    ['get', 'secrets'],
    ['create', 'pods/exec'],
  ] as const)
    expect(await can(verb, resource), `${verb} ${resource}`).toBe('no');
});

it('requests the app of a zone through the API server of its cluster', async () => {
  const cluster = await workerClusters.find('apart');
  const signal = AbortSignal.timeout(120_000);
  await expect
    .poll(() => cluster?.requestService({ namespace: zone, name: 'hello' }, signal))
    .toEqual({ status: 200, body: 'Hello' });
  const missing = await cluster?.requestService({ namespace: zone, name: 'other' }, signal);
  expect(missing?.status).toBeGreaterThanOrEqual(400);
});

it('checks the app of the zone, removes the zone and keeps its namespace, and then removes the cluster', async () => {
  const { codehost, app } = await startShopFixture();
  const activities = createEnvironmentActivities({
    store,
    codehost: octokitCodehost({
      apiUrl: codehost.apiUrl,
      throttle: false,
      findCredentials: async () => ({ appId: String(app.id), privateKey: app.pem, account: 'acme', version: '1' }),
    }),
    zoneAddress: (name) => `http://${name}.localhost:1`,
    domains: buildDomainSettings(),
    zoneService: (name) => `http://${name}.${zone}.svc`,
    allowedInside: [],
    imageRepository: () => 'registry/hello',
    zoneChart: {},
    registry: { push: undefined, pull: undefined },
    workloadClusters: workerClusters,
    argoCdNamespace: 'argocd',
    network: loadConfig({}).network,
    healthRecheckDelayMs: 1,
    decisions: trustingJudge,
    now: () => new Date(),
  });
  const run = async <Input, Output>(activity: (input: Input) => Promise<Output>, input: Input): Promise<Output> =>
    await new MockActivityEnvironment().run(activity, input);
  const ref = { org: 'acme', product: 'hello', zone };
  expect(await run(activities.runSmokeCheck, { ...ref, intervalMs: 100 })).toMatchObject({ outcome: 'passed' });

  const inUse = await call('DELETE', '/apart');
  expect(inUse.status).toBe(409);
  expect(inUse.body.detail).toContain(`${zone} of acme/hello`);
  const stored = await store.get(ProductKind, product);
  await store.replace(ProductKind, { ...stored, spec: { ...stored.spec, delivery: { zones: [] } } });
  await run(activities.removeZone, { ...ref, by: 'ada' });
  const namespace = await (
    await workerClusters.find('apart')
  )?.objects.find(NamespaceKind, { namespace: '', name: zone });
  expect(namespace?.metadata.deletionTimestamp).toBeUndefined();
  expect(namespace?.metadata.name).toBe(zone);

  expect((await call('DELETE', '/apart')).status).toBe(204);
  expect(await workerClusters.find('apart')).toBeUndefined();
  expect(await store.find(SecretKind, { namespace: 'service-system', name: 'workload-clusters' })).toMatchObject({
    data: {},
  });
});
