export type ContainerMetric = {
  metric: string;
  labels: Record<string, string>;
  value: number | string;
  /** When it was measured; now when absent. */
  atMs?: number;
};

/** As a kubelet tells of its containers under `/metrics/cadvisor`. */
export const containerMetrics = (metrics: ContainerMetric[]): string =>
  metrics
    .map(({ metric, labels, value, atMs }) => {
      const pairs = Object.entries(labels).map(([label, text]) => `${label}=${JSON.stringify(text)}`);
      return `${metric}{${pairs.join(',')}} ${value}${atMs === undefined ? '' : ` ${atMs / 1_000}`}\n`;
    })
    .join('');

type Measured = { namespace: string; pod: string; atMs?: number } & Partial<
  Record<'cpuSeconds' | 'memoryBytes' | 'receivedBytes' | 'sentBytes', number | string>
>;

/** One pod of one container: its own rows, those of the pod as a whole and those of what holds its network. */
export function podMetrics({ namespace, pod, atMs, ...measured }: Measured, id = 'first'): ContainerMetric[] {
  const { cpuSeconds, memoryBytes, receivedBytes, sentBytes } = measured;
  const ofPod = { namespace, pod, id: `/kubepods/${pod}` };
  const rows = [
    { ...ofPod, container: '', image: '' },
    { ...ofPod, container: 'POD', image: 'pause', id: `/kubepods/${pod}/pause` },
    { ...ofPod, container: 'app', image: 'app', id: `/kubepods/${pod}/${id}` },
  ];
  const when = atMs === undefined ? {} : { atMs };
  const each = (metric: string, value: number | string | undefined, labels: Record<string, string>[]) =>
    value === undefined ? [] : labels.map((of) => ({ metric, labels: of, value, ...when }));
  const network = { ...ofPod, container: '', image: 'pause', interface: 'eth0' };
  return [
    ...each(
      'container_cpu_usage_seconds_total',
      cpuSeconds,
      rows.map((row) => ({ ...row, cpu: 'total' })),
    ),
    ...each('container_memory_working_set_bytes', memoryBytes, rows),
    ...each('container_network_receive_bytes_total', receivedBytes, [network]),
    ...each('container_network_transmit_bytes_total', sentBytes, [network]),
  ];
}
