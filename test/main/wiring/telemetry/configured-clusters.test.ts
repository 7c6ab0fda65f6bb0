import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { NamespaceKind, PodKind } from '../../../../src/kinds/kubernetes.ts';
import { connectConfiguredClusters } from '../../../../src/main/wiring/telemetry/configured-clusters.ts';
import { createScratchFolder } from '../../../support/scratch-folder.ts';

const zone = 'hello-rc';
const namespace = {
  metadata: { name: zone, uid: 'u', resourceVersion: '1', labels: { 'service.delivery/zone': zone } },
};
const pod = {
  metadata: { name: 'hello-1', namespace: zone, uid: 'p', resourceVersion: '2' },
  spec: { containers: [{ name: 'app' }] },
};
const service = `/api/v1/namespaces/${zone}/services/hello:http/proxy/`;

/** Starts the API server of a workload cluster, and writes a kubeconfig whose only context is the cluster "apart". */
async function startCluster(answers: Record<string, { status?: number; body: string }>) {
  const requests: string[] = [];
  const server = createServer(({ method, url = '', headers }, response) => {
    requests.push(`${method} ${url} ${headers.authorization}`);
    const { status = 200, body } = answers[decodeURIComponent(url.split('?')[0] ?? '')] ?? {
      status: 404,
      body: '{"reason":"NotFound"}',
    };
    response.writeHead(status).end(body);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const workloadKubeconfig = join(await createScratchFolder(), 'kubeconfig');
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server: `http://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'u', user: { token: 'reader' } }],
    contexts: [{ name: 'apart', context: { cluster: 'c', user: 'u' } }],
  };
  await writeFile(workloadKubeconfig, JSON.stringify(config));
  const { clusters, close } = await connectConfiguredClusters({
    workloadClusters: ['apart', 'unknown'],
    workloadKubeconfig,
    workloadPrometheus: new Map(),
    prometheus: undefined,
  });
  onTestFinished(close);
  return { clusters, requests };
}

const connect = async (answers: Parameters<typeof startCluster>[0]) => {
  const { clusters, requests } = await startCluster(answers);
  const cluster = clusters.get('apart');
  if (!cluster) throw new Error('The cluster is not connected.');
  return { cluster, requests };
};

it('reads namespaces, pods and logs of the cluster with the credentials of its context', async () => {
  const { cluster, requests } = await connect({
    [`/api/v1/namespaces/${zone}`]: { body: JSON.stringify(namespace) },
    [`/api/v1/namespaces/${zone}/pods`]: { body: JSON.stringify({ metadata: { resourceVersion: '3' }, items: [pod] }) },
    [`/api/v1/namespaces/${zone}/pods/hello-1/log`]: { body: '2026-01-01T00:00:00Z hello\n' },
  });
  const found = await cluster.objects.find(NamespaceKind, { namespace: '', name: zone });
  expect(found?.metadata.labels).toEqual({ 'service.delivery/zone': zone });
  const { items } = await cluster.objects.list(PodKind, { namespace: zone });
  expect(items.map(({ metadata }) => metadata.name)).toEqual(['hello-1']);
  expect(await cluster.telemetry.queryLogs(zone, { tailLines: 5 })).toEqual([
    { pod: 'hello-1', lines: [{ at: '2026-01-01T00:00:00.000Z', text: 'hello' }] },
  ]);
  expect(await cluster.objects.find(NamespaceKind, { namespace: '', name: 'other' })).toBeUndefined();
  expect(requests.every((request) => request.startsWith('GET ') && request.endsWith(' Bearer reader'))).toBe(true);
});

it('requests the app of a zone through the API server, whatever its status', async () => {
  const target = { namespace: zone, name: 'hello' };
  const signal = AbortSignal.timeout(60_000);
  const { cluster } = await connect({ [service]: { body: 'Hello' } });
  expect(await cluster.requestService(target, signal)).toEqual({ status: 200, body: 'Hello' });
  const broken = await connect({ [service]: { status: 500, body: 'x'.repeat(100_000) } });
  const { status, body } = await broken.cluster.requestService(target, signal);
  expect([status, body.length]).toEqual([500, 4_096]);
});

it('has no metrics without a Prometheus, and no access without a context or a kubeconfig', async () => {
  const { clusters } = await startCluster({});
  const range = { from: new Date(0), to: new Date(1), stepSeconds: 1 };
  await expect(clusters.get('apart')?.telemetry.querySeries(zone, range)).rejects.toThrow('WORKLOAD_PROMETHEUS_URLS');
  expect([...clusters.keys()]).toEqual(['apart']);
  const none = await connectConfiguredClusters({
    workloadClusters: ['apart'],
    workloadKubeconfig: undefined,
    workloadPrometheus: new Map(),
    prometheus: undefined,
  });
  expect(none.clusters.size).toBe(0);
});

it('names the setting of a kubeconfig that cannot be read, and quotes nothing of it', async () => {
  const folder = await createScratchFolder();
  const connectTo = async (workloadKubeconfig: string) =>
    await connectConfiguredClusters({
      workloadClusters: ['apart'],
      workloadKubeconfig,
      workloadPrometheus: new Map(),
      prometheus: undefined,
    });
  const names = 'WORKLOAD_KUBECONFIG names a file that cannot be read';
  await expect(connectTo(join(folder, 'absent'))).rejects.toThrow(
    new RegExp(`^${names}: ENOENT.*Set it to a kubeconfig\\.$`),
  );
  await expect(connectTo(folder)).rejects.toThrow(new RegExp(`^${names}: EISDIR`));
  const broken = join(folder, 'broken');
  await writeFile(broken, 'users: [{ token: a-secret');
  await expect(connectTo(broken)).rejects.toThrow(
    new Error(`${names}: it is not a kubeconfig. Set it to a kubeconfig.`),
  );
});
