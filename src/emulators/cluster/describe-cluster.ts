import { Gauge, Registry } from 'prom-client';
import { readProcessUsage } from './read-process-usage.ts';
import type { Zone } from './zone.ts';
import { containerName } from './app-pod.ts';

type NamedZone = { name: string; zone: Pick<Zone, 'deployment' | 'pods'> };

/** Formats the replicas of each Deployment as kube-state-metrics does. */
export async function formatDeployments(zones: readonly NamedZone[]): Promise<string> {
  const registry = new Registry();
  const labelNames = ['namespace', 'deployment'] as const;
  const create = (name: string, help: string) => new Gauge({ name, help, labelNames, registers: [registry] });
  const desired = create('kube_deployment_spec_replicas', 'Number of desired pods for a deployment.');
  const available = create(
    'kube_deployment_status_replicas_available',
    'The number of available replicas per deployment.',
  );
  for (const { name: namespace, zone } of zones) {
    if (!zone.deployment) continue;
    const labels = { namespace, deployment: zone.deployment.name };
    desired.set(labels, zone.deployment.replicas);
    available.set(labels, zone.deployment.available);
  }
  return await registry.metrics();
}

/** Formats the usage of each pod as cAdvisor does. */
export async function formatContainers(zones: readonly NamedZone[]): Promise<string> {
  const registry = new Registry();
  const create = (name: string, help: string, third: 'container' | 'interface') =>
    new Gauge({ name, help, labelNames: ['namespace', 'pod', third], registers: [registry] });
  const cpu = create('container_cpu_usage_seconds_total', 'Cumulative cpu time consumed in seconds.', 'container');
  const memory = create('container_memory_working_set_bytes', 'Current working set in bytes.', 'container');
  const received = create('container_network_receive_bytes_total', 'Cumulative count of bytes received', 'interface');
  const sent = create('container_network_transmit_bytes_total', 'Cumulative count of bytes transmitted', 'interface');
  const running = zones.flatMap(({ name, zone }) =>
    zone.pods.map(({ name: pod, instance }) => ({ name, pod, instance })),
  );
  await Promise.all(
    running.map(async ({ name: namespace, pod, instance }) => {
      if (instance?.pid === undefined) return;
      const usage = await readProcessUsage(instance.pid);
      // A process without memory has just exited.
      if (usage.memoryBytes === 0) return;
      cpu.set({ namespace, pod, container: containerName }, usage.cpuSeconds);
      memory.set({ namespace, pod, container: containerName }, usage.memoryBytes);
      const traffic = instance.traffic();
      received.set({ namespace, pod, interface: 'eth0' }, traffic.receivedBytes);
      sent.set({ namespace, pod, interface: 'eth0' }, traffic.sentBytes);
    }),
  );
  return await registry.metrics();
}
