import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { clusterTelemetry } from '../../../src/main/cluster-telemetry.ts';
import { freePort } from '../../../src/main/ports.ts';
import { toolCacheDir } from '../../../src/main/tools/tool.ts';
import { measuredEverySeconds, type Given, type GivenLine, type Opened } from '../../contracts/zone-telemetry.ts';
import { containerMetrics, podMetrics } from '../../support/cadvisor.ts';
import { startPrometheus } from '../../support/prometheus.ts';
import { apply, type KubectlAccess } from '../control-plane/kubectl.ts';
import { startNodes } from '../control-plane/start-nodes.ts';
import { kubectl } from '../install-kinds.ts';
import { kwok } from '../tools/kwok.ts';
import { pathOf } from '../tools/path-of.ts';

const defaultContainer = 'kubectl.kubernetes.io/default-container';

/** A zone of a cluster in which is what is given: its logs are files of a played node, its past is Prometheus'. */
export async function openZone(
  access: KubectlAccess,
  given: Given,
): Promise<Opened & { folder: string; close(): Promise<void> }> {
  const zone = `telemetry-${crypto.randomUUID().slice(0, 8)}`;
  const folder = await mkdtemp(join(tmpdir(), 'telemetry-'));
  const search = { cacheDir: toolCacheDir(process.env), env: process.env, onProgress: () => {} };
  const logs = await Promise.all(given.pods.map(({ name }) => writeLogs(given.lines, { zone, pod: name, folder })));
  const node = { bin: pathOf(await kwok(search)), folder, name: zone, isApart: true, logs };
  await addLostNode(access, `${zone}-lost`);
  const [nodes, prometheus] = await Promise.all([
    startNodes(access, node),
    startPrometheus({ history: historyOf(zone, given) }),
  ]);
  await apply(access, [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: zone } },
    // The one that a namespace gets by itself may come after its pods.
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace: zone } },
    ...given.pods.map((pod) => podOf(zone, pod)),
  ]);
  const telemetry = clusterTelemetry({
    kubeConfig: kubeConfigIn(access.kubeconfig),
    prometheus: { url: prometheus.url, scrapeSeconds: measuredEverySeconds },
  });
  return {
    zone,
    telemetry,
    folder,
    async close() {
      await telemetry.close();
      await kubectl(access, ['delete', 'namespace', zone, '--wait=false']);
      await kubectl(access, ['delete', 'node', zone, `${zone}-lost`]);
      await Promise.all([nodes.stop(), prometheus.stop()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export function kubeConfigIn(file: string): KubeConfig {
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromFile(file);
  return kubeConfig;
}

type Place = { zone: string; pod: string; folder: string };

/** As a container runtime writes them, with those of a second container beside. */
async function writeLogs(lines: GivenLine[], { zone, pod, folder }: Place): Promise<object> {
  const write = async (name: string, its: GivenLine[]): Promise<string> => {
    const file = join(folder, `${pod}-${name}.log`);
    await writeFile(file, its.map(({ at, text }) => `${at.replace('Z', '456789Z')} stdout F ${text}\n`).join(''));
    return file;
  };
  const lives = Map.groupBy(
    lines.filter((line) => line.pod === pod),
    ({ restarts = 0 }) => restarts,
  );
  const last = Math.max(0, ...lives.keys());
  const logsFile = await write('now', lives.get(last) ?? []);
  const previous = lives.get(last - 1);
  const previousLogsFile = previous && (await write('before', previous));
  const beside = await write('beside', [{ pod, at: '2026-01-01T00:00:00.000Z', text: 'of a container beside it' }]);
  const spec = {
    logs: [
      { containers: ['app'], logsFile, ...(previousLogsFile && { previousLogsFile }) },
      { containers: ['proxy'], logsFile: beside },
    ],
  };
  return { apiVersion: 'kwok.x-k8s.io/v1alpha1', kind: 'Logs', metadata: { name: pod, namespace: zone }, spec };
}

function podOf(zone: string, { name, state, restarts }: Given['pods'][number]): object {
  const places = { starting: { schedulerName: 'nobody' }, unreachable: { nodeName: `${zone}-lost` } };
  const containers = ['proxy', 'app'].map((container) => ({ name: container, image: container }));
  // One says which of its containers is meant, and the others have it first.
  const isAnnotated = restarts !== undefined;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: zone, ...(isAnnotated && { annotations: { [defaultContainer]: 'app' } }) },
    spec: {
      ...(state ? places[state] : { nodeName: zone }),
      containers: isAnnotated ? containers : containers.toReversed(),
    },
  };
}

/** A node whose kubelet does not answer. */
async function addLostNode(access: KubectlAccess, name: string): Promise<void> {
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name } };
  const status = {
    addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
    daemonEndpoints: { kubeletEndpoint: { Port: await freePort() } },
  };
  await apply(access, [{ ...node, spec: { unschedulable: true } }]);
  const patch = ['patch', 'node', name, '--subresource=status', `--patch=${JSON.stringify({ status })}`];
  await kubectl(access, patch);
}

function historyOf(zone: string, { used }: Given): string {
  const counted = new Map<string, { cpuSeconds: number; receivedBytes: number; sentBytes: number }>();
  const metrics = used.map(({ pod, atMs, ofAnotherZone, ...usage }) => {
    const before = counted.get(pod) ?? { cpuSeconds: 1_000, receivedBytes: 1e6, sentBytes: 1e6 };
    const now = {
      cpuSeconds: before.cpuSeconds + usage.cpuCores * measuredEverySeconds,
      receivedBytes: before.receivedBytes + usage.receivedBytesPerSecond * measuredEverySeconds,
      sentBytes: before.sentBytes + usage.sentBytesPerSecond * measuredEverySeconds,
    };
    counted.set(pod, now);
    const namespace = ofAnotherZone ? `${zone}-other` : zone;
    return podMetrics({ namespace, pod, atMs, memoryBytes: usage.memoryBytes, ...now });
  });
  return containerMetrics(metrics.flat());
}
