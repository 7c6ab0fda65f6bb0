import { expect, it, onTestFinished } from 'vitest';
import type { ServiceError } from '../../../../src/errors.ts';
import type { Judge } from '../../../../src/integrations/http/judged-dispatcher.ts';
import { NamespaceKind, PodKind, SecretKind } from '../../../../src/kinds/kubernetes.ts';
import { connectAddedClusters } from '../../../../src/main/wiring/telemetry/added-clusters.ts';
import { clustersSecretRef, withClusterAccess } from '../../../../src/rules/clusters/clusters-secret.ts';
import { ClusterKind } from '../../../../src/rules/clusters/kinds.ts';
import { systemNamespace } from '../../../../src/rules/resource.ts';
import { openMemoryStore } from '../../../support/open-test-store.ts';
import { formatContainerMetrics } from '../../../support/servers/cadvisor-metrics.ts';
import { describeWithPrometheus, startPrometheus } from '../../../support/servers/prometheus.ts';
import { startClusterServer } from '../../../support/servers/cluster-server.ts';

const namespace = 'hello-rc';
const items = [
  { metadata: { name: 'hello-1', namespace, uid: 'p', resourceVersion: '2' }, spec: { containers: [{ name: 'app' }] } },
];
const answers = {
  [`/api/v1/namespaces/${namespace}/pods`]: { body: { metadata: { resourceVersion: '3' }, items } },
  [`/api/v1/namespaces/${namespace}/services/hello:http/proxy/`]: { body: 'Hello' },
};

const minuteMs = 60_000;
const startMs = Math.floor(Date.now() / minuteMs - 20) * minuteMs;
const tenMinutes = { from: new Date(startMs), to: new Date(startMs + 10 * minuteMs), stepSeconds: 300 };

async function startMetrics(value: number): Promise<string> {
  const samples = Array.from({ length: 20 }, (_, index) => ({
    metric: 'container_memory_working_set_bytes' as const,
    labels: { namespace, pod: 'hello-1', container: 'app', id: 'first' },
    value,
    atMs: startMs + index * 30_000 + 7_000,
  }));
  const { url, stop } = await startPrometheus({ history: formatContainerMetrics(samples) });
  onTestFinished(stop);
  return url;
}

async function start(
  judge: Judge = () => undefined,
  others: Record<string, { status: number; body: object }> = {},
  pace: { retryTimeoutMs?: number } = {},
) {
  const store = openMemoryStore();
  const clusters = connectAddedClusters({ store, judge, ...pace });
  onTestFinished(async () => {
    await clusters.close();
    await store.close();
  });
  const server = await startClusterServer({ answers: { ...answers, ...others } });
  const metadata = { namespace: systemNamespace, name: 'apart' };
  const save = async (token: string | undefined) => {
    const secret = await store.find(SecretKind, clustersSecretRef);
    const access = token === undefined ? undefined : { server: server.url, caData: server.caData, token };
    const data = withClusterAccess(secret, 'apart', access);
    if (secret) await store.replace(SecretKind, { ...secret, data });
    else await store.create(SecretKind, { metadata: clustersSecretRef, type: 'Opaque', data });
  };
  const readPods = async () => {
    const cluster = await clusters.find('apart');
    return cluster && (await cluster.objects.list(PodKind, { namespace })).items.map((pod) => pod.metadata.name);
  };
  const readMemory = async () => {
    const series = await (await clusters.find('apart'))?.telemetry.querySeries(namespace, tenMinutes);
    return series?.map(({ pod, points }) => [pod, points.at(-1)?.memoryBytes]);
  };
  return { store, clusters, server, metadata, save, readPods, readMemory };
}

it('reads a cluster from the moment in which it is added, with each kubeconfig, until it is removed', async () => {
  const { store, clusters, server, metadata, save, readPods } = await start();
  expect(await readPods()).toBeUndefined();
  await store.create(ClusterKind, { metadata, spec: {} });
  expect(await readPods()).toBeUndefined();
  await save(server.account.token);
  expect(await readPods()).toEqual(['hello-1']);
  expect(await clusters.find('apart')).toBe(await clusters.find('apart'));

  const before = await clusters.find('apart');
  server.account.token = 'rotated';
  await save('rotated');
  expect(await readPods()).toEqual(['hello-1']);
  expect(await clusters.find('apart')).not.toBe(before);

  await save(undefined);
  expect(await readPods()).toBeUndefined();
  expect(await clusters.find('constructor')).toBeUndefined();
});

it('judges each connection to the cluster, as a name may resolve to another address later', async () => {
  let violation: string | undefined;
  const { store, clusters, server, metadata, save } = await start(() => violation);
  await store.create(ClusterKind, { metadata, spec: {} });
  await save(server.account.token);
  const target = { namespace, name: 'hello' };
  const request = async () => await (await clusters.find('apart'))?.requestService(target, AbortSignal.timeout(30_000));
  expect(await request()).toEqual({ status: 200, body: 'Hello' });
  violation = 'It is inside.';
  // Another kubeconfig opens a new connection.
  server.account.token = 'rotated';
  await save('rotated');
  await expect(request()).rejects.toThrow('It is inside.');
});

it('names a cluster that is away without its address, which platform admins alone see', async () => {
  const { store, clusters, metadata } = await start(undefined, undefined, { retryTimeoutMs: 200 });
  await store.create(ClusterKind, { metadata, spec: {} });
  const data = withClusterAccess(undefined, 'apart', { server: 'https://127.0.0.1:9', token: 't' });
  await store.create(SecretKind, { metadata: clustersSecretRef, type: 'Opaque', data });
  const cluster = await clusters.find('apart');
  await expect(cluster?.objects.list(PodKind, { namespace })).rejects.toMatchObject({
    reason: 'cluster-unavailable',
    message: 'The API server of the cluster "apart" is unavailable (ECONNREFUSED).',
  });
});

it('ends a list that the cluster never ends', async () => {
  const body = { metadata: { resourceVersion: '3', continue: 'more' }, items };
  const path = `/api/v1/namespaces/${namespace}/pods`;
  const { store, clusters, server, metadata, save } = await start(undefined, { [path]: { status: 200, body } });
  await store.create(ClusterKind, { metadata, spec: {} });
  await save('token-of-the-cluster');
  const cluster = await clusters.find('apart');
  const list = async () => await cluster?.objects.list(PodKind, { namespace });
  const isEndless = async () => await expect.poll(() => server.requests.length).toBeGreaterThan(100);
  await expect(Promise.race([list(), isEndless()])).rejects.toMatchObject({ code: 'unavailable' });
  const before = server.requests.length;
  await expect(list()).rejects.toMatchObject({ code: 'unavailable' });
  expect(server.requests.length).toBe(before * 2);
});

const refusal = (status: number, message: string) => ({
  status,
  body: { kind: 'Status', reason: 'Forbidden', message, details: { causes: [{ field: message, message }] } },
});

it.each([
  [403, 'cluster-access-denied', 'Grant the service account the missing permission.'],
  [422, 'invalid', 'was rejected by the API server: 422.'],
])('shows no words of a server that refuses a request with %i', async (status, reason, message) => {
  const words = 'User "system:serviceaccount:secret-team:zones" at 10.9.8.7';
  const { store, clusters, metadata, save } = await start(undefined, { '/api/v1/namespaces': refusal(status, words) });
  await store.create(ClusterKind, { metadata, spec: {} });
  await save('token-of-the-cluster');
  const cluster = await clusters.find('apart');
  const creation = cluster?.objects.create(NamespaceKind, { metadata: { namespace: '', name: namespace } });
  const error = (await creation?.catch((thrown: unknown) => thrown)) as ServiceError;
  expect(error).toMatchObject({ reason, message: expect.stringContaining(message) as string });
  expect(error.message + JSON.stringify(error)).not.toMatch(/secret-team|10\.9\.8\.7/);
});

describeWithPrometheus('the metrics of a cluster', () => {
  it('come from its own Prometheus, which an admin may set and change later', { timeout: 120_000 }, async () => {
    let violation: string | undefined;
    const { store, server, metadata, save, readMemory } = await start(() => violation);
    await store.create(ClusterKind, { metadata, spec: {} });
    await save(server.account.token);
    await expect(readMemory()).rejects.toMatchObject({ code: 'unavailable' });
    const setPrometheus = async (prometheusUrl: string) =>
      await store.replace(ClusterKind, { ...(await store.get(ClusterKind, metadata)), spec: { prometheusUrl } });
    await setPrometheus(await startMetrics(1e8));
    expect(await readMemory()).toEqual([['hello-1', 1e8]]);
    const second = await startMetrics(2e8);
    await setPrometheus(second);
    expect(await readMemory()).toEqual([['hello-1', 2e8]]);
    violation = 'It is inside.';
    await setPrometheus(`${second}/`);
    await expect(readMemory()).rejects.toThrow('Check prometheusUrl of the cluster "apart".');
  });
});
