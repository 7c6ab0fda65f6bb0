import { createServer } from 'node:http';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, inject, it, onTestFinished } from 'vitest';
import { checkDeployment } from '../../api/clusters/check-deployment.ts';
import { connectAddedClusters } from '../../src/main/wiring/telemetry/added-clusters.ts';
import { ApplicationKind } from '../../src/kinds/argo-cd.ts';
import { NamespaceKind } from '../../src/kinds/kubernetes.ts';
import { saveClusterAccess } from '../../src/reconcile/save-cluster-access.ts';
import { ClusterKind } from '../../src/rules/clusters/kinds.ts';
import { ProductKind } from '../../src/rules/products/kinds.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import { waitUntil } from '../support/platform/wait-until.ts';
import { reservePort } from '../support/servers/reserve-ports.ts';
import { judgeLoopback } from '../support/judge-loopback.ts';
import { startApi } from '../support/start-api.ts';
import { loadChart, startDeliveryHarness } from './argo-cd/delivery-harness.ts';
import { argoCdNamespace } from './argo-cd/manifests.ts';
import { applyObjects, kubectl } from './control-plane/kubectl.ts';
import { type ControlPlane, createToolSearch, startControlPlane } from './control-plane/start-control-plane.ts';
import { startFakeNode } from './control-plane/start-fake-node.ts';
import { getMachineAddress } from './proxies/machine-address.ts';
import { ensureKwok } from './tools/ensure-kwok.ts';
import { getToolPath } from './tools/get-tool-path.ts';

const home = inject('cluster');
const manifest = fileURLToPath(new URL('../../deploy/workload-cluster.yaml', import.meta.url));
/** The cluster has a name of its own, because all tests of the management cluster share its Argo CD. */
const name = `far-${crypto.randomUUID().slice(0, 8)}`;
const toDigest = (letter: string): string => `sha256:${letter.repeat(64)}`;
const cleanups: (() => Promise<unknown>)[] = [];
let far: ControlPlane;
let appPort: number;
let appStatus = 200;

/** The Secret that `argocd cluster add` writes. */
const argoCdCluster = () => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: argoCdNamespace, labels: { 'argocd.argoproj.io/secret-type': 'cluster' } },
  stringData: {
    name,
    server: far.server,
    config: JSON.stringify({ bearerToken: far.adminToken, tlsClientConfig: { caData: far.caData } }),
  },
});

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'far-'));
  cleanups.push(async () => await rm(folder, { recursive: true, force: true }));
  far = await startControlPlane();
  cleanups.push(far.stop);
  await kubectl(far, ['apply', '--server-side', `--filename=${manifest}`]);
  const podAddress = getMachineAddress();
  appPort = await reservePort();
  const app = createServer((_, response) => response.writeHead(appStatus).end('Hello'));
  await new Promise<void>((resolve) => app.listen(appPort, podAddress, resolve));
  cleanups.push(async () => app.close());
  const logsFile = join(folder, 'app.log');
  await writeFile(logsFile, `${new Date().toISOString()} stdout F A visitor came.\n`);
  const logs = [
    {
      apiVersion: 'kwok.x-k8s.io/v1alpha1',
      kind: 'ClusterLogs',
      metadata: { name: 'all' },
      spec: { logs: [{ logsFile }] },
    },
  ];
  const bin = getToolPath(await ensureKwok(createToolSearch()));
  const node = await startFakeNode(far, { bin, folder, logs, podAddress });
  cleanups.push(node.stop);
}, 180_000);
afterAll(async () => {
  for (const cleanup of cleanups.toReversed()) await cleanup();
});

it('delivers a Release to a zone in a second cluster, shows the zone as one at home, and removes it', async () => {
  const delivery = await startDeliveryHarness({
    chart: await loadChart({ 'port: 8080': `port: ${appPort}` }),
    connectClusters: (store) => connectAddedClusters({ store, judge: judgeLoopback }),
  });
  const { store, org, namespace } = delivery;
  const apiClusters = connectAddedClusters({ store, judge: judgeLoopback });
  const token = (await kubectl(far, ['create', 'token', 'service-zones', '--namespace=service-system'])).trim();
  await store.create(ClusterKind, { metadata: { namespace: systemNamespace, name }, spec: {} });
  await saveClusterAccess(store, name, { server: far.server, caData: far.caData, token });
  onTestFinished(async () => {
    await apiClusters.close();
    await saveClusterAccess(store, name, undefined);
    await store.delete(ClusterKind, { namespace: systemNamespace, name });
    await kubectl(home, ['delete', 'secret', name, '-n', argoCdNamespace, '--ignore-not-found']);
  });
  expect(await checkDeployment(store, name)).toMatchObject({ result: 'warning' });

  const { product, zone } = await delivery.createProduct([{ cluster: name }]);
  // Argo CD does not know the cluster yet.
  const early = { version: 'v0.1.0', digest: toDigest('1') };
  await delivery.requestPromotion(product, zone, early);
  const refused = await delivery.waitForZonePhase(product, zone, { version: early.version, phase: 'Failed' });
  expect(refused.failure).toMatchObject({
    message: `Argo CD has no cluster "${name}".`,
    fix: `Add the cluster to Argo CD under this name: argocd cluster add <context> --name ${name}`,
  });
  expect(await checkDeployment(store, name)).toMatchObject({ result: 'failed' });
  await applyObjects(home, [argoCdCluster()]);
  await delivery.promoteAndVerify(product, zone, { version: 'v0.2.0', digest: toDigest('2') });
  expect(await checkDeployment(store, name)).toMatchObject({ result: 'ok' });
  // Nothing of the zone is in the management cluster.
  expect(await kubectl(home, ['get', 'namespaces', '-o', 'name'])).not.toContain(`/${zone}\n`);

  // The people of the API are its own, because other tests run a whole service on the store of the cluster.
  const api = await startApi({ org, workloadClusters: apiClusters, config: { workloadClusters: [] } });
  await api.store.restore(ProductKind, await store.get(ProductKind, { namespace, name: product }));
  const path = `/v1/orgs/${org}/products/${product}/zones/${zone}`;
  const page = (await (await api.request(path)).json()) as { pods: { name: string }[] };
  expect(page).toMatchObject({
    pods: [{ name: expect.stringMatching(`^${product}-`) as string }],
    events: expect.arrayContaining([expect.objectContaining({ reason: 'Scheduled' })]) as unknown[],
  });
  const logs = await (await api.request(`${path}/logs`)).text();
  expect(logs).toContain('A visitor came.');

  // The smoke check asks the app of the zone.
  appStatus = 500;
  const broken = { version: 'v0.3.0', digest: toDigest('3') };
  await delivery.requestPromotion(product, zone, broken);
  const failed = await delivery.waitForZonePhase(product, zone, { version: broken.version, phase: 'Failed' });
  expect(failed.failure?.message).toContain('500');

  await delivery.removeZone(product, zone);
  const isGone = async () => (await store.find(ApplicationKind, { namespace, name: zone })) === undefined;
  await waitUntil(isGone, (gone) => gone);
  expect((await kubectl(far, ['get', 'all', '-n', zone, '-o', 'name'])).trim()).toBe('');
  // The service may delete nothing there.
  const { objects } = (await apiClusters.find(name)) ?? {};
  expect(await objects?.find(NamespaceKind, { namespace: '', name: zone })).toBeDefined();
}, 300_000);
