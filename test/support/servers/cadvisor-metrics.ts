export type ContainerMetric = {
  metric: string;
  labels: Record<string, string>;
  value: number | string;
  /** The time of the measurement (default: now). */
  atMs?: number;
};

/** Formats container metrics as a kubelet does at `/metrics/cadvisor`. */
export const formatContainerMetrics = (metrics: ContainerMetric[]): string =>
  metrics
    .map(({ metric, labels, value, atMs }) => {
      const pairs = Object.entries(labels).map(([label, text]) => `${label}=${JSON.stringify(text)}`);
      return `${metric}{${pairs.join(',')}} ${value}${atMs === undefined ? '' : ` ${atMs / 1_000}`}\n`;
    })
    .join('');

type PodUsage = { namespace: string; pod: string; atMs?: number } & Partial<
  Record<'cpuSeconds' | 'memoryBytes' | 'receivedBytes' | 'sentBytes', number | string>
>;

/** Builds the metrics of a pod with one container, which include rows of the pod and of its pause container. */
export function buildPodMetrics({ namespace, pod, atMs, ...usage }: PodUsage, id = 'first'): ContainerMetric[] {
  const { cpuSeconds, memoryBytes, receivedBytes, sentBytes } = usage;
  const podLabels = { namespace, pod, id: `/kubepods/${pod}` };
  const rows = [
    { ...podLabels, container: '', image: '' },
    { ...podLabels, container: 'POD', image: 'pause', id: `/kubepods/${pod}/pause` },
    { ...podLabels, container: 'app', image: 'app', id: `/kubepods/${pod}/${id}` },
  ];
  const timestamp = atMs === undefined ? {} : { atMs };
  const toMetrics = (metric: string, value: number | string | undefined, labels: Record<string, string>[]) =>
    value === undefined ? [] : labels.map((row) => ({ metric, labels: row, value, ...timestamp }));
  const network = { ...podLabels, container: '', image: 'pause', interface: 'eth0' };
  return [
    ...toMetrics(
      'container_cpu_usage_seconds_total',
      cpuSeconds,
      rows.map((row) => ({ ...row, cpu: 'total' })),
    ),
    ...toMetrics('container_memory_working_set_bytes', memoryBytes, rows),
    ...toMetrics('container_network_receive_bytes_total', receivedBytes, [network]),
    ...toMetrics('container_network_transmit_bytes_total', sentBytes, [network]),
  ];
}
