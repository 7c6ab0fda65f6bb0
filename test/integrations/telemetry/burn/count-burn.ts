import { type RawSeries, scrapeSeconds } from './generate-traffic.ts';

/** The alert conditions of the specification: both ranges above the factor times the budget. */
const alerts = {
  ServiceFastBurn: { factor: 14.4, ranges: [3_600, 300] },
  ServiceSlowBurn: { factor: 6, ranges: [21_600, 1_800] },
} as const;
export type AlertName = keyof typeof alerts;
export const alertNames = Object.keys(alerts) as AlertName[];
export type Decision = 'burns' | 'quiet' | 'close';

/** Prometheus extends what it measured by at most this many scrape intervals to each end of a range. */
const extendedIntervals = 1.1;

type Bounds = { least: number; most: number };
type Range = { from: number; to: number };

/**
 * Decides from the raw samples alone whether an alert fires: it counts the increases from one scrape to the next. A decision
 * is `close` if the samples leave it open, because a request between a border of a range and its scrapes is in no sample.
 */
export function countBurn(
  series: readonly RawSeries[],
  { alert, budget, at }: { alert: AlertName; budget: number; at: number },
): Decision {
  const { factor, ranges } = alerts[alert];
  const ratios = ranges.map((range) => countRatio(series, { from: at - range, to: at }));
  const exceeds = (bound: keyof Bounds): boolean =>
    ratios.every((ratio) => ratio !== undefined && Math.min(1, ratio[bound]) > factor * budget);
  if (exceeds('least') !== exceeds('most')) return 'close';
  return exceeds('least') ? 'burns' : 'quiet';
}

function countRatio(series: readonly RawSeries[], range: Range): Bounds | undefined {
  const count = (role: RawSeries['role']) =>
    series.filter((one) => one.role === role).map((one) => ({ ...one, ...countIncrease(one, range) }));
  const requests = count('request');
  const errors = count('error');
  const within = new Map(count('within').map((one) => [one.labels['pod'], one]));
  const late = requests.flatMap((all) => {
    const good = within.get(all.labels['pod']);
    return good ? [toLateBounds(all, good)] : [];
  });
  const all = sum([...requests, ...errors].map(toBounds));
  if (all.least === 0) return undefined;
  const failed = sum([...errors.map(toBounds), ...late]);
  return { least: failed.least / all.most, most: failed.most / all.least };
}

const sum = (bounds: readonly Bounds[]): Bounds => ({
  least: bounds.reduce((total, { least }) => total + least, 0),
  most: bounds.reduce((total, { most }) => total + most, 0),
});

/** The requests of a range are at least those between its scrapes, and at most as many more as those lead to expect. */
function toBounds({ increase, before, after }: Increase): Bounds {
  const extended = increase * (1 + before + after);
  // The difference of two counters is negative if only one of them shows a restart.
  return { least: Math.min(increase, extended), most: Math.max(increase, extended) };
}

/** The requests that were not within the threshold. */
function toLateBounds(all: Increase, good: Increase): Bounds {
  const difference = { ...all, increase: all.increase - good.increase };
  const isAlike = !(all.isReset || good.isReset) || !(all.isYoung || good.isYoung);
  if (isAlike) return toBounds(difference);
  // Restarted counters are extended back to zero at most, which one of them may reach before the other.
  const { least, most } = toBounds({ ...difference, before: 0 });
  return { least: least - good.increase * all.before, most: most + all.increase * all.before };
}

type Increase = {
  increase: number;
  isReset: boolean;
  /** The first value is less than what the counter adds in the time that may be extended. */
  isYoung: boolean;
  /** The range continues before and after its scrapes by these shares of what they cover. */
  before: number;
  after: number;
};

/** A smaller value than before is a restart from zero. */
function countIncrease({ values }: RawSeries, { from, to }: Range): Increase {
  const start = Math.max(0, Math.ceil(from / scrapeSeconds));
  const samples = values
    .slice(start, Math.floor(to / scrapeSeconds) + 1)
    .flatMap((value, index) => (value === undefined ? [] : [{ value, at: (start + index) * scrapeSeconds }]));
  const steps = samples.slice(1).map(({ value }, index) => ({ value, earlier: samples[index]!.value }));
  const [first = { value: 0, at: from }] = samples;
  const last = samples.at(-1) ?? { at: to };
  const increase = steps.reduce((total, { value, earlier }) => total + (value < earlier ? value : value - earlier), 0);
  const longest = steps.length > 0 ? extendedIntervals / steps.length : 0;
  const toShare = (seconds: number): number => Math.min(seconds / (last.at - first.at), longest);
  return {
    increase,
    isReset: steps.some(({ value, earlier }) => value < earlier),
    isYoung: first.value <= increase * longest,
    before: toShare(first.at - from),
    after: toShare(to - last.at),
  };
}
