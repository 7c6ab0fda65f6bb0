import type { SloSpec } from './kinds.ts';
import { toLeMatcher } from './le-matcher.ts';
import { formatMatchers, parseMatchers } from './parse-matchers.ts';

/** The apps of a zone run in the namespace of its name, which Prometheus adds to the metrics of its pods. */
type SloInZone = { slo: SloSpec; zone: string };
type LatencyIndicator = NonNullable<SloSpec['indicator']['latency']>;
type Counter = 'rate' | 'increase';

/** Matchers as `formatMatchers` prints them. */
const defaultErrors = ['code=~"5.."'];

/** Counts of requests over a range, as PromQL: sums over all series, because an average of ratios would weigh idle pods like busy ones. */
export function toCountQueries(target: SloInZone, { counter, range }: { counter: Counter; range: string }) {
  const { latency, availability } = target.slo.indicator;
  if (latency) {
    const { requests, good } = toLatencyCounts(latency, target, range);
    return { requests, errors: `clamp_min(${requests} - ${good}, 0)` };
  }
  const sum = (metric: string, matchers: readonly string[]): string =>
    `sum(${counter}(${select(metric, target, matchers)}[${range}]))`;
  const { metric = '', filter, errors } = availability ?? {};
  const matchers = toMatchers(filter);
  const failed = sum(metric, [...matchers, ...(errors === undefined ? defaultErrors : toMatchers(errors))]);
  // A counter of errors has no series before the first error.
  return { requests: sum(metric, matchers), errors: `(${failed} or vector(0))` };
}

function toLatencyCounts({ histogram, filter, threshold }: LatencyIndicator, target: SloInZone, range: string) {
  const matchers = toMatchers(filter);
  const count = (metric: string, selected: readonly string[]): string =>
    toAlikeCount(`${select(metric, target, selected)}[${range}]`);
  return {
    requests: count(`${histogram}_count`, matchers),
    good: count(`${histogram}_bucket`, [...matchers, toLeMatcher(threshold)]),
  };
}

/**
 * `increase` extrapolates each counter by its own first value, by up to a scrape interval more or less than another. In a
 * difference of two counters this would hide or invent errors, so it counts only those that were reset; `delta`
 * extrapolates counters of the same scrapes alike.
 */
const toAlikeCount = (counter: string): string =>
  `sum((delta(${counter}) unless resets(${counter}) > 0) or increase(${counter}))`;

/**
 * The share of failed requests over a range; it has no value without requests. A latency has none without its bucket either:
 * a wrong threshold must not look like an outage.
 */
export function toErrorRatioQuery(target: SloInZone, range: string): string {
  const { latency } = target.slo.indicator;
  if (latency) {
    const { requests, good } = toLatencyCounts(latency, target, range);
    return `clamp(1 - ${good} / (${requests} > 0), 0, 1)`;
  }
  const { requests, errors } = toCountQueries(target, { counter: 'rate', range });
  return `clamp_max(${errors} / (${requests} > 0), 1)`;
}

/** The series that an SLO counts, with the label that it reads unless a person chose another, to find out whether they exist. */
export function toSeriesQuery(target: SloInZone): string {
  const { latency, availability } = target.slo.indicator;
  if (latency) return `count by (le) (${select(`${latency.histogram}_bucket`, target, toMatchers(latency.filter))})`;
  return `count by (code) (${select(availability?.metric ?? '', target, toMatchers(availability?.filter))})`;
}

const select = (metric: string, { zone }: SloInZone, matchers: readonly string[]): string =>
  `${metric}{${[`namespace="${zone}"`, ...matchers].join(', ')}}`;

/** The matchers of a stored SLO are valid; those of a kubectl write that is not accepted yet select nothing. */
function toMatchers(text: string | undefined): string[] {
  if (text === undefined) return [];
  const parsed = parseMatchers(text);
  return 'matchers' in parsed ? [formatMatchers(parsed.matchers)] : ['__name__=""'];
}
