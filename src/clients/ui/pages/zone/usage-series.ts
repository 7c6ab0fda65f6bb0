import type { Schemas } from '../../api/generated/openapi.ts';

export type Metrics = Schemas['ZoneMetrics'];
export type Measure = 'cpuCores' | 'memoryBytes' | 'receivedBytesPerSecond' | 'sentBytesPerSecond';
export type Summary = { min: number; mean: number; max: number; last: number };
export type Usage = {
  /** The values are divided by the size, and have the name then. */
  unit: { size: number; name: string };
  /** The times in seconds, as the chart wants them. */
  times: number[];
  pods: { name: string; values: (number | null)[]; summary: Summary | undefined }[];
  summary: Summary | undefined;
};

const mebibyte = 2 ** 20;
const gibibyte = 2 ** 30;

function toUnit(measure: Measure, highest: number): Usage['unit'] {
  if (measure === 'cpuCores') return { size: 1, name: 'cores' };
  if (measure === 'memoryBytes')
    return highest >= 2 * gibibyte ? { size: gibibyte, name: 'GiB' } : { size: mebibyte, name: 'MiB' };
  if (highest >= 1_000_000) return { size: 1_000_000, name: 'MB/s' };
  return highest >= 1_000 ? { size: 1_000, name: 'kB/s' } : { size: 1, name: 'B/s' };
}

/** Aligns the series of all pods to the same times. A step without a measurement is a gap. */
export function toUsage({ pods }: Pick<Metrics, 'pods'>, measure: Measure): Usage {
  const times = [...new Set(pods.flatMap(({ points }) => points.map(({ at }) => Date.parse(at) / 1_000)))].toSorted(
    (one, other) => one - other,
  );
  const indexes = new Map(times.map((time, index) => [time, index]));
  const measured = pods.flatMap(({ points }) => points.map((point) => point[measure] ?? 0));
  const unit = toUnit(
    measure,
    measured.reduce((one, other) => Math.max(one, other), 0),
  );
  const series = pods.map(({ name, points }) => {
    const values = Array.from<number | null>({ length: times.length }).fill(null);
    for (const point of points) {
      const value = point[measure];
      const index = indexes.get(Date.parse(point.at) / 1_000);
      if (value !== undefined && index !== undefined) values[index] = value / unit.size;
    }
    return { name, values, summary: summarize(values) };
  });
  const summary = summarize(series.flatMap(({ values }) => values));
  if (summary) summary.last = mean(series.flatMap(({ summary: own }) => own?.last ?? []));
  return { unit, times, pods: series, summary };
}

const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

function summarize(values: readonly (number | null)[]): Summary | undefined {
  const known = values.filter((value) => value !== null);
  const last = known.at(-1);
  if (last === undefined) return undefined;
  const ends = known.reduce(({ min, max }, value) => ({ min: Math.min(min, value), max: Math.max(max, value) }), {
    min: last,
    max: last,
  });
  return { ...ends, mean: mean(known), last };
}

/** Formats a value with about three digits: "0.21", "4.6", "322". */
export const formatValue = (value: number): string => value.toFixed(value >= 100 ? 0 : value >= 3 ? 1 : 2);

/** The part of a pod's name that differs from the others: "7c9d8-4xkqp" of "shop-prod-7c9d8-4xkqp". */
export const shortenPod = (name: string): string => name.split('-').slice(-2).join('-');
