import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { ServiceError } from '../../errors.ts';
import type { PodSeries, SeriesRange, Usage, UsagePoint, ZoneTelemetry } from './zone-telemetry.ts';

export type PrometheusOptions = {
  url: string;
  /** A file with a bearer token; it is read again for every query, because tokens rotate. */
  tokenFile?: string;
  /** The scrape interval of the nodes. */
  scrapeSeconds: number;
};

const Matrix = z.object({
  data: z.object({
    resultType: z.literal('matrix'),
    result: z.array(
      z.object({ metric: z.object({ pod: z.string() }), values: z.array(z.tuple([z.number(), z.string()])) }),
    ),
  }),
});
const ErrorBody = z.object({ error: z.string() });
type Result = z.infer<typeof Matrix>['data']['result'];

const timeoutMs = 10_000;
/** A rate needs two samples, and up to two more may be late or lost. */
const scrapesPerWindow = 4;

/** Queries Prometheus for the container metrics of cAdvisor. */
export function prometheusSeries(options: PrometheusOptions): ZoneTelemetry['querySeries'] {
  return async (zone, range) => {
    const windowSeconds = Math.max(range.stepSeconds, scrapesPerWindow * options.scrapeSeconds);
    const queries = Object.entries(buildQueries(zone, `${windowSeconds}s`)) as [keyof Usage, string][];
    const results = await Promise.all(
      queries.map(async ([field, query]) => ({ field, result: await queryRange(options, query, range) })),
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

async function queryRange(options: PrometheusOptions, query: string, range: SeriesRange): Promise<Result> {
  const { from, to, stepSeconds } = range;
  // A value covers the time before its timestamp, so each step is queried at its end.
  const start = String(from.getTime() / 1_000 + stepSeconds);
  const parameters = new URLSearchParams({
    query,
    start,
    end: String(to.getTime() / 1_000),
    step: String(stepSeconds),
  });
  const headers = await authorizationHeader(options);
  const signal = AbortSignal.timeout(timeoutMs);
  const url = `${options.url.replace(/\/$/, '')}/api/v1/query_range?${parameters.toString()}`;
  const response = await fetch(url, { headers, signal }).catch((error: unknown) => {
    throw unavailable(`does not respond (${toErrorCode(error)}). Check PROMETHEUS_URL`);
  });
  const body = await response.json().catch(() => undefined);
  const matrix = Matrix.safeParse(body);
  if (response.ok && matrix.success) return matrix.data.data.result;
  if (response.status === 401 || response.status === 403)
    throw unavailable(`rejected the credentials (${response.status}). Check PROMETHEUS_TOKEN_FILE`);
  const errorBody = ErrorBody.safeParse(body);
  const cause = errorBody.success ? errorBody.data.error.slice(0, 300) : 'the response is not one of Prometheus';
  throw unavailable(`failed to run the query (${response.status}): ${cause}. Check PROMETHEUS_URL`);
}

async function authorizationHeader({ tokenFile }: PrometheusOptions): Promise<Record<string, string>> {
  if (tokenFile === undefined) return {};
  const token = await readFile(tokenFile, 'utf8').catch(() => {
    throw unavailable('cannot be queried: the file of PROMETHEUS_TOKEN_FILE cannot be read');
  });
  return { authorization: `Bearer ${token.trim()}` };
}

function toSeries(results: { field: keyof Usage; result: Result }[], stepSeconds: number): PodSeries[] {
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

const toMeasurements = (results: { field: keyof Usage; result: Result }[], stepSeconds: number) =>
  results
    .flatMap(({ field, result }) =>
      result.flatMap(({ metric: { pod }, values }) =>
        values.map(([seconds, value]) => {
          const atMs = Math.round((seconds - stepSeconds) * 1_000);
          return { pod, field, atMs, amount: Number(value) };
        }),
      ),
    )
    .filter(({ amount }) => Number.isFinite(amount));

const unavailable = (cause: string): ServiceError =>
  new ServiceError('metrics-unavailable', `Prometheus, the source of usage metrics, ${cause}.`);

/** Returns only the code, because messages contain internal addresses. */
function toErrorCode(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : undefined;
  if (cause instanceof Error && 'code' in cause && typeof cause.code === 'string') return cause.code;
  return error instanceof Error ? error.name : 'unknown';
}
