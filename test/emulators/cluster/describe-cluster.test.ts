import { expect, it } from 'vitest';
import type { AppPod } from '../../../src/emulators/cluster/app-pod.ts';
import { formatContainers, formatDeployments } from '../../../src/emulators/cluster/describe-cluster.ts';

const samples = (text: string): string[] => text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));

it('formats the replicas of each zone that has a version', async () => {
  const zones = [
    { name: 'hello-rc', zone: { deployment: { name: 'hello', replicas: 2, available: 1 }, pods: [] } },
    { name: 'new', zone: { deployment: undefined, pods: [] } },
  ];
  expect(samples(await formatDeployments(zones))).toEqual([
    'kube_deployment_spec_replicas{namespace="hello-rc",deployment="hello"} 2',
    'kube_deployment_status_replicas_available{namespace="hello-rc",deployment="hello"} 1',
  ]);
});

it('formats the usage of running pods only', async () => {
  const instance = { pid: process.pid, traffic: () => ({ receivedBytes: 5, sentBytes: 7 }) };
  const pods = [
    { name: 'hello-1', instance },
    { name: 'starting', instance: undefined },
    { name: 'exited', instance: { ...instance, pid: 2 ** 30 } },
  ] as unknown as AppPod[];
  const lines = samples(await formatContainers([{ name: 'hello-rc', zone: { deployment: undefined, pods } }]));
  expect(lines.map((line) => line.replace(/ [\d.]+$/, ''))).toEqual([
    'container_cpu_usage_seconds_total{namespace="hello-rc",pod="hello-1",container="app"}',
    'container_memory_working_set_bytes{namespace="hello-rc",pod="hello-1",container="app"}',
    'container_network_receive_bytes_total{namespace="hello-rc",pod="hello-1",interface="eth0"}',
    'container_network_transmit_bytes_total{namespace="hello-rc",pod="hello-1",interface="eth0"}',
  ]);
  expect(lines.slice(2).map((line) => line.split(' ').at(-1))).toEqual(['5', '7']);
});
