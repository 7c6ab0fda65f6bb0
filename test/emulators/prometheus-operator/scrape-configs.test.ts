import { expect, it } from 'vitest';
import { toPodMonitorSpec } from '../../../src/emulators/cluster/pod-monitor.ts';
import { toScrapeJobs } from '../../../src/emulators/prometheus-operator/scrape-configs.ts';
import type { Pod } from '../../../src/kinds/kubernetes.ts';
import type { PodMonitor } from '../../../src/kinds/prometheus-operator.ts';

const metadata = { uid: 'u', resourceVersion: '1', generation: 1, creationTimestamp: '' };
const aPod = (namespace: string, name: string, labels: Record<string, string>): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { ...metadata, namespace, name, labels },
  spec: { containers: [{ name: 'app', ports: [{ name: 'http', containerPort: 3000 }] }, { name: 'sidecar' }] },
});
const aMonitor = (change: Partial<PodMonitor['spec']> = {}): PodMonitor => ({
  apiVersion: 'monitoring.coreos.com/v1',
  kind: 'PodMonitor',
  metadata: { ...metadata, namespace: 'hello-rc', name: 'hello' },
  spec: { ...toPodMonitorSpec({ namespace: 'hello-rc', name: 'hello' }), ...change },
});
const labels = { 'app.kubernetes.io/name': 'hello', 'app.kubernetes.io/instance': 'hello-rc' };
const toAddress = ({ metadata: { name } }: Pod, port: number): string => `${name}:${port}`;

it('selects the pods of its own namespace that have all labels, with the labels of the operator', () => {
  const pods = [
    aPod('hello-rc', 'one', { ...labels, other: 'x' }),
    aPod('hello-rc', 'gate', { ...labels, 'app.kubernetes.io/name': 'hello-gate' }),
    aPod('other', 'two', labels),
  ];
  const [job] = toScrapeJobs(aMonitor(), pods, toAddress);
  expect(job?.name).toBe('podMonitor/hello-rc/hello/0');
  expect(job?.targets).toEqual([
    {
      targets: ['one:3000'],
      labels: { namespace: 'hello-rc', pod: 'one', container: 'app', endpoint: 'http', job: 'hello-rc/hello' },
    },
  ]);
});

it('carries the limits of the object, and never honors labels of an app', () => {
  const endpoint = { port: 'http', honorLabels: true };
  const [job] = toScrapeJobs(aMonitor({ podMetricsEndpoints: [endpoint] }), [], toAddress);
  expect(job?.config).toEqual({
    honor_labels: false,
    honor_timestamps: true,
    metrics_path: '/metrics',
    follow_redirects: true,
    sample_limit: 5_000,
    label_limit: 32,
    label_name_length_limit: 128,
    label_value_length_limit: 512,
    body_size_limit: '2MB',
  });
  expect(toScrapeJobs(aMonitor(), [], toAddress)[0]?.config).toMatchObject({
    honor_timestamps: false,
    follow_redirects: false,
    scrape_interval: '15s',
    scrape_timeout: '5s',
    metric_relabel_configs: [{ source_labels: ['__name__'], regex: '.*:.*', action: 'drop' }],
  });
});

it('has no target for a port that no container has', () => {
  const spec = { podMetricsEndpoints: [{ port: 'admin' }] };
  expect(toScrapeJobs(aMonitor(spec), [aPod('hello-rc', 'one', labels)], toAddress)[0]?.targets).toEqual([]);
});
