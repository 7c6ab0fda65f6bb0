import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClusterTelemetry } from '../../../src/main/wiring/telemetry/cluster-telemetry.ts';
import { reservePort } from '../../support/servers/reserve-ports.ts';
import { toolCacheDir } from '../../../src/main/tools/tool.ts';
import {
  scrapeIntervalSeconds,
  type TelemetryFixture,
  type LogLineFixture,
  type OpenedTelemetry,
} from '../../contracts/zone-telemetry.ts';
import { formatContainerMetrics, buildPodMetrics } from '../../support/servers/cadvisor-metrics.ts';
import { startPrometheus } from '../../support/servers/prometheus.ts';
import { applyObjects, type KubectlAccess, kubectl } from '../control-plane/kubectl.ts';
import { startFakeNode } from '../control-plane/start-fake-node.ts';
import { loadKubeConfigFile } from '../open-cluster-store.ts';
import { ensureKwok } from '../tools/ensure-kwok.ts';
import { getToolPath } from '../tools/get-tool-path.ts';

const defaultContainerAnnotation = 'kubectl.kubernetes.io/default-container';

/** Creates a zone with the given telemetry: its logs are files of a fake node, its metrics are in a Prometheus. */
export async function createTelemetryZone(
  access: KubectlAccess,
  fixture: TelemetryFixture,
): Promise<OpenedTelemetry & { folder: string; close(): Promise<void> }> {
  const zone = `telemetry-${crypto.randomUUID().slice(0, 8)}`;
  const folder = await mkdtemp(join(tmpdir(), 'telemetry-'));
  const search = { cacheDir: toolCacheDir(process.env), env: process.env, onProgress: () => {} };
  const logs = await Promise.all(fixture.pods.map(({ name }) => writeLogs(fixture.lines, { zone, pod: name, folder })));
  const node = { bin: getToolPath(await ensureKwok(search)), folder, name: zone, isDedicated: true, logs };
  await createUnreachableNode(access, `${zone}-lost`);
  const [nodes, prometheus] = await Promise.all([
    startFakeNode(access, node),
    startPrometheus({ history: buildMetricsHistory(zone, fixture) }),
  ]);
  await applyObjects(access, [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: zone } },
    // The namespace's default account may be created after its pods.
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace: zone } },
    ...fixture.pods.map((pod) => buildPod(zone, pod)),
  ]);
  const telemetry = createClusterTelemetry({
    kubeConfig: loadKubeConfigFile(access),
    prometheus: { url: prometheus.url, scrapeSeconds: scrapeIntervalSeconds },
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

type LogLocation = { zone: string; pod: string; folder: string };

/** Writes log files as a container runtime does, and those of a second container. */
async function writeLogs(lines: LogLineFixture[], { zone, pod, folder }: LogLocation): Promise<object> {
  const write = async (name: string, linesOfFile: LogLineFixture[]): Promise<string> => {
    const file = join(folder, `${pod}-${name}.log`);
    await writeFile(
      file,
      linesOfFile.map(({ at, text }) => `${at.replace('Z', '456789Z')} stdout F ${text}\n`).join(''),
    );
    return file;
  };
  const linesByRestart = Map.groupBy(
    lines.filter((line) => line.pod === pod),
    ({ restarts = 0 }) => restarts,
  );
  const last = Math.max(0, ...linesByRestart.keys());
  const logsFile = await write('now', linesByRestart.get(last) ?? []);
  const previous = linesByRestart.get(last - 1);
  const previousLogsFile = previous && (await write('before', previous));
  const proxyLogsFile = await write('proxy', [{ pod, at: '2026-01-01T00:00:00.000Z', text: 'written by the proxy' }]);
  const spec = {
    logs: [
      { containers: ['app'], logsFile, ...(previousLogsFile && { previousLogsFile }) },
      { containers: ['proxy'], logsFile: proxyLogsFile },
    ],
  };
  return { apiVersion: 'kwok.x-k8s.io/v1alpha1', kind: 'Logs', metadata: { name: pod, namespace: zone }, spec };
}

function buildPod(zone: string, { name, state, restarts }: TelemetryFixture['pods'][number]): object {
  const placement = { starting: { schedulerName: 'none' }, unreachable: { nodeName: `${zone}-lost` } };
  const containers = ['proxy', 'app'].map((container) => ({ name: container, image: container }));
  // The annotation names the app's container; without it, the app's container is the first one.
  const isAnnotated = restarts !== undefined;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: zone, ...(isAnnotated && { annotations: { [defaultContainerAnnotation]: 'app' } }) },
    spec: {
      ...(state ? placement[state] : { nodeName: zone }),
      containers: isAnnotated ? containers : containers.toReversed(),
    },
  };
}

/** Creates a node whose kubelet does not respond. */
async function createUnreachableNode(access: KubectlAccess, name: string): Promise<void> {
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name } };
  const status = {
    addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
    daemonEndpoints: { kubeletEndpoint: { Port: await reservePort() } },
  };
  await applyObjects(access, [{ ...node, spec: { unschedulable: true } }]);
  const patch = ['patch', 'node', name, '--subresource=status', `--patch=${JSON.stringify({ status })}`];
  await kubectl(access, patch);
}

function buildMetricsHistory(zone: string, { usage }: TelemetryFixture): string {
  const totals = new Map<string, { cpuSeconds: number; receivedBytes: number; sentBytes: number }>();
  const metrics = usage.map(({ pod, atMs, ofAnotherZone, ...usage }) => {
    const before = totals.get(pod) ?? { cpuSeconds: 1_000, receivedBytes: 1e6, sentBytes: 1e6 };
    const now = {
      cpuSeconds: before.cpuSeconds + usage.cpuCores * scrapeIntervalSeconds,
      receivedBytes: before.receivedBytes + usage.receivedBytesPerSecond * scrapeIntervalSeconds,
      sentBytes: before.sentBytes + usage.sentBytesPerSecond * scrapeIntervalSeconds,
    };
    totals.set(pod, now);
    const namespace = ofAnotherZone ? `${zone}-other` : zone;
    return buildPodMetrics({ namespace, pod, atMs, memoryBytes: usage.memoryBytes, ...now });
  });
  return formatContainerMetrics(metrics.flat());
}
