import type { MetricsServer } from './metrics-request.ts';
import type { Series } from './monitoring.ts';
import { queryRange } from './prometheus-queries.ts';
import type { PodSeries, Usage, UsagePoint, ZoneTelemetry } from './zone-telemetry.ts';

export type PrometheusOptions = MetricsServer & {
  /** The scrape interval of the nodes. */
  scrapeSeconds: number;
};

/** A rate needs two samples, and up to two more may be late or lost. */
const scrapesPerWindow = 4;

/** Queries Prometheus for the container metrics of cAdvisor. */
export function prometheusSeries(options: PrometheusOptions): ZoneTelemetry['querySeries'] {
  return async (zone, range) => {
    const windowSeconds = Math.max(range.stepSeconds, scrapesPerWindow * options.scrapeSeconds);
    const queries = Object.entries(buildQueries(zone, `${windowSeconds}s`)) as [keyof Usage, string][];
    const results = await Promise.all(
      queries.map(async ([field, query]) => ({ field, result: await queryRange(options)(query, range) })),
    );
    return toSeries(results, range.stepSeconds);
  };
}

/** `max` counts a container once while it is replaced, or when two scrapers report it. */
function buildQueries(zone: string, window: string): Record<keyof Usage, string> {
  // PromQL supports the escapes of JSON strings.
  const podSelector = `namespace=${JSON.stringify(zone)},pod!=""`;
  // Rows without a container are sums of the others, and "POD" is the container of a pod's network.
  const containerSelector = `${podSelector},container!="",container!="POD"`;
  const sum = (each: string, values: string): string => `sum by (pod) (max by (pod, ${each}) (${values}))`;
  const rate = (metric: string, selector: string): string => `rate(${metric}{${selector}}[${window}])`;
  const working = `avg_over_time(container_memory_working_set_bytes{${containerSelector}}[${window}])`;
  return {
    cpuCores: sum('container', rate('container_cpu_usage_seconds_total', containerSelector)),
    memoryBytes: sum('container', working),
    receivedBytesPerSecond: sum('interface', rate('container_network_receive_bytes_total', podSelector)),
    sentBytesPerSecond: sum('interface', rate('container_network_transmit_bytes_total', podSelector)),
  };
}

function toSeries(results: { field: keyof Usage; result: Series[] }[], stepSeconds: number): PodSeries[] {
  const pods = new Map<string, Map<number, UsagePoint>>();
  for (const { pod, field, atMs, amount } of toMeasurements(results, stepSeconds)) {
    const points = pods.get(pod) ?? new Map<number, UsagePoint>();
    pods.set(pod, points);
    points.set(atMs, { ...(points.get(atMs) ?? { at: new Date(atMs).toISOString() }), [field]: amount });
  }
  return [...pods]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([pod, points]) => ({ pod, points: [...points.values()].toSorted((a, b) => (a.at < b.at ? -1 : 1)) }));
}

const toMeasurements = (results: { field: keyof Usage; result: Series[] }[], stepSeconds: number) =>
  results
    .flatMap(({ field, result }) =>
      result.flatMap(({ labels: { pod = '' }, points }) =>
        points.map(({ at, value }) => ({ pod, field, atMs: at.getTime() - stepSeconds * 1_000, amount: value })),
      ),
    )
    .filter(({ amount }) => Number.isFinite(amount));
