import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { ServiceError } from '../../errors.ts';
import type { PodSeries, SeriesRange, Usage, UsagePoint, ZoneTelemetry } from './zone-telemetry.ts';

export type PrometheusOptions = {
  url: string;
  /** The file of a bearer token, which may change. */
  tokenFile?: string;
  /** How often it asks the nodes. */
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
const Refusal = z.object({ error: z.string() });
type Result = z.infer<typeof Matrix>['data']['result'];

const patienceMs = 10_000;
/** A rate takes two measurements; one may be late and one lost. */
const scrapesPerWindow = 4;

/** Asks Prometheus for what kubelets tell it of their containers, as cAdvisor's metrics. */
export function prometheusSeries(options: PrometheusOptions): ZoneTelemetry['series'] {
  return async (zone, range) => {
    const windowSeconds = Math.max(range.stepSeconds, scrapesPerWindow * options.scrapeSeconds);
    const questions = Object.entries(questionsAbout(zone, `${windowSeconds}s`)) as [keyof Usage, string][];
    const answers = await Promise.all(
      questions.map(async ([field, query]) => ({ field, result: await askRange(options, query, range) })),
    );
    return seriesIn(answers, range.stepSeconds);
  };
}

/** While a container is replaced, and where two tell of the same one, it counts once. */
function questionsAbout(zone: string, window: string): Record<keyof Usage, string> {
  // PromQL reads JSON's escapes as JSON does.
  const ofPods = `namespace=${JSON.stringify(zone)},pod!=""`;
  // The rows without a container are sums of the others; "POD" holds a pod's network.
  const ofContainers = `${ofPods},container!="",container!="POD"`;
  const sum = (each: string, values: string): string => `sum by (pod) (max by (pod, ${each}) (${values}))`;
  const rate = (metric: string, selector: string): string => `rate(${metric}{${selector}}[${window}])`;
  const working = `avg_over_time(container_memory_working_set_bytes{${ofContainers}}[${window}])`;
  return {
    cpuCores: sum('container', rate('container_cpu_usage_seconds_total', ofContainers)),
    memoryBytes: sum('container', working),
    receivedBytesPerSecond: sum('interface', rate('container_network_receive_bytes_total', ofPods)),
    sentBytesPerSecond: sum('interface', rate('container_network_transmit_bytes_total', ofPods)),
  };
}

async function askRange(options: PrometheusOptions, query: string, range: SeriesRange): Promise<Result> {
  const { from, to, stepSeconds } = range;
  // What is answered for a moment is of the time before it: a step is asked for at its end.
  const start = String(from.getTime() / 1_000 + stepSeconds);
  const asked = new URLSearchParams({ query, start, end: String(to.getTime() / 1_000), step: String(stepSeconds) });
  const headers = await authorization(options);
  const signal = AbortSignal.timeout(patienceMs);
  const url = `${options.url.replace(/\/$/, '')}/api/v1/query_range?${asked.toString()}`;
  const answer = await fetch(url, { headers, signal }).catch((error: unknown) => {
    throw unavailable(`does not answer (${whyOf(error)}). Check PROMETHEUS_URL`);
  });
  const body = await answer.json().catch(() => undefined);
  const matrix = Matrix.safeParse(body);
  if (answer.ok && matrix.success) return matrix.data.data.result;
  if (answer.status === 401 || answer.status === 403)
    throw unavailable(`refuses the service (${answer.status}). Check PROMETHEUS_TOKEN_FILE`);
  const refusal = Refusal.safeParse(body);
  const why = refusal.success ? refusal.data.error.slice(0, 300) : 'what is there does not speak as Prometheus does';
  throw unavailable(`cannot say it (${answer.status}): ${why}. Check PROMETHEUS_URL`);
}

async function authorization({ tokenFile }: PrometheusOptions): Promise<Record<string, string>> {
  if (tokenFile === undefined) return {};
  const token = await readFile(tokenFile, 'utf8').catch(() => {
    throw unavailable('cannot be asked: the file of PROMETHEUS_TOKEN_FILE cannot be read');
  });
  return { authorization: `Bearer ${token.trim()}` };
}

function seriesIn(answers: { field: keyof Usage; result: Result }[], stepSeconds: number): PodSeries[] {
  const pods = new Map<string, Map<number, UsagePoint>>();
  for (const { pod, field, atMs, amount } of measurementsIn(answers, stepSeconds)) {
    const points = pods.get(pod) ?? new Map<number, UsagePoint>();
    pods.set(pod, points);
    points.set(atMs, { ...(points.get(atMs) ?? { at: new Date(atMs).toISOString() }), [field]: amount });
  }
  return [...pods]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([pod, points]) => ({ pod, points: [...points.values()].toSorted((a, b) => (a.at < b.at ? -1 : 1)) }));
}

const measurementsIn = (answers: { field: keyof Usage; result: Result }[], stepSeconds: number) =>
  answers
    .flatMap(({ field, result }) =>
      result.flatMap(({ metric: { pod }, values }) =>
        values.map(([seconds, value]) => {
          const atMs = Math.round((seconds - stepSeconds) * 1_000);
          return { pod, field, atMs, amount: Number(value) };
        }),
      ),
    )
    .filter(({ amount }) => Number.isFinite(amount));

const unavailable = (why: string): ServiceError =>
  new ServiceError('unavailable', `Prometheus, which measures what pods use, ${why}.`);

/** The code alone: messages tell of addresses. */
function whyOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : undefined;
  if (cause instanceof Error && 'code' in cause && typeof cause.code === 'string') return cause.code;
  return error instanceof Error ? error.name : 'unknown';
}
