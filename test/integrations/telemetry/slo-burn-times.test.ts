import { expect, it } from 'vitest';
import type { SloSpec } from '../../../src/rules/slos/kinds.ts';
import { defaultRetentionMs } from '../../../src/rules/slos/slo-window.ts';
import { toRuleGroups } from '../../../src/rules/slos/to-prometheus-rule.ts';
import { buildSlo } from '../../rules/slos/build-slo.ts';
import { buildSloProduct } from '../../rules/slos/build-slo-product.ts';
import { createRandom, isExhaustive, sample, testSeed } from '../../support/sample.ts';
import { describeWithPrometheus } from '../../support/servers/prometheus.ts';
import { runPromtool } from '../../support/servers/promtool.ts';
import { byCode, byFilter, byLatency, filterIndicator, toLatencyIndicator } from './burn/exporters.ts';
import { formatSeries } from './burn/format-series.ts';
import { type Draw, type Exporter, type RawSeries, scrapeSeconds } from './burn/generate-traffic.ts';

const evaluationSeconds = 30;
/** A failure is seen by the next scrape, and an alert is decided by the evaluation after that. */
const toleranceSeconds = scrapeSeconds + evaluationSeconds;
const lastSeconds = 31_200;
const requestsPerSecond = 10_000;

/** The conditions of the specification: the ratio of errors is above the factor times the budget in both windows. */
const alerts = [
  { alertname: 'ServiceFastBurn', factor: 14.4, long: 3_600, short: 300 },
  { alertname: 'ServiceSlowBurn', factor: 6, long: 21_600, short: 1_800 },
] as const;

type Shape = { slo: Partial<SloSpec>; exporter: Exporter; zones?: readonly string[] };
const shapes: Record<string, Shape> = {
  availability: { slo: {}, exporter: byCode },
  'filters and other errors': { slo: { indicator: filterIndicator }, exporter: byFilter },
  'latency with le as "1"': { slo: { indicator: toLatencyIndicator('1') }, exporter: byLatency('1') },
  'latency with le as "1.0"': { slo: { indicator: toLatencyIndicator('1') }, exporter: byLatency('1.0') },
  'several zones': { slo: {}, exporter: byCode, zones: ['healthy', 'shop-prod'] },
  'an odd window': { slo: { window: '100h' }, exporter: byCode },
};

/** A share of the requests fails from a time on, until another. */
type Outage = { from: number; until: number; badShare: number };

/** Draws an outage of 30 to 100 minutes. It begins after six hours of traffic, so that each window is full. */
function drawOutage(draw: Draw, budget: number): Outage {
  const from = 21_600 + scrapeSeconds + draw(1_200);
  return { from, until: from + 1_800 + draw(4_200), badShare: Math.min(1, budget * (5 + draw(150))) };
}

function generateOutage(draw: Draw, { namespace, exporter, outage }: OutageOptions): RawSeries[] {
  const { counters, observe } = exporter(draw);
  const totals = counters.map(() => 0);
  const series = counters.map(({ metric, labels, role }): RawSeries => ({
    metric,
    labels: { namespace, ...labels },
    role,
    values: [],
  }));
  const countBad = (at: number): number => {
    const seconds = Math.max(0, Math.min(at, outage.until) - outage.from);
    return Math.round(seconds * outage.badShare * requestsPerSecond);
  };
  for (let at = 0; at <= lastSeconds; at += scrapeSeconds) {
    const bad = countBad(at) - countBad(at - scrapeSeconds);
    const increases = observe({ good: scrapeSeconds * requestsPerSecond - bad, bad });
    for (const [index, { isLazy }] of counters.entries()) {
      totals[index]! += increases[index]!;
      series[index]!.values.push(isLazy && totals[index] === 0 ? undefined : totals[index]);
    }
  }
  return series.filter(({ values }) => values.some((value) => value !== undefined));
}
type OutageOptions = { namespace: string; exporter: Exporter; outage: Outage };

/**
 * A window is above the threshold while more than that share of it fails: from when enough of the outage is in it, until
 * enough has left it. Both windows are, from when the long one is until the short one is not. An outage whose share
 * of failures is itself below the threshold never gets there.
 */
function predict({ from, until, badShare }: Outage, budget: number, { factor, long, short }: (typeof alerts)[number]) {
  const share = (factor * budget) / badShare;
  const fires = share < 1 ? from + share * long : Number.POSITIVE_INFINITY;
  return {
    fires,
    clears: until + (1 - share) * short,
    doesFire: fires < until,
    isClose: Math.abs(until - fires) <= toleranceSeconds,
  };
}

/** Expects one episode that begins and ends as predicted, or none. */
function toExpectations(outage: Outage, budget: number) {
  return alerts.flatMap((alert) => {
    const { fires, clears, doesFire, isClose } = predict(outage, budget, alert);
    if (isClose) return [];
    const firing = `ALERTS{alertname="${alert.alertname}", zone="shop-prod"}`;
    const expectNone = (expr: string) => ({ expr, eval_time: `${lastSeconds}s`, exp_samples: [] });
    if (!doesFire) return [expectNone(`present_over_time(${firing}[10h])`)];
    const edge = (edgeOf: 'min' | 'max'): string =>
      `${edgeOf}_over_time(timestamp(${firing})[10h:${evaluationSeconds}s])`;
    const evaluations = `(${edge('max')} - ${edge('min')}) / ${evaluationSeconds} + 1`;
    return [
      {
        expr: `count(present_over_time(${firing}[10h]))`,
        eval_time: `${lastSeconds}s`,
        exp_samples: [{ labels: '{}', value: 1 }],
      },
      expectNone(`abs(${edge('min')} - ${fires}) > ${toleranceSeconds}`),
      expectNone(`abs(${edge('max')} + ${evaluationSeconds} - ${clears}) > ${toleranceSeconds}`),
      expectNone(`count_over_time(${firing}[10h]) != on() group_left() (${evaluations})`),
    ];
  });
}

describeWithPrometheus('burn alerts', () => {
  it.each(sample(Object.entries(shapes), 2))(
    'of %s fire and clear when the windows say',
    async (title, shape) => {
      const draw = createRandom(testSeed + Object.keys(shapes).indexOf(title));
      for (let round = 0; round < (isExhaustive ? 20 : 1); round += 1) {
        const objective = ['95', '99', '99.9', '99.95'][draw(4)]!;
        const budget = (100 - Number(objective)) / 100;
        const outage = drawOutage(draw, budget);
        const zones = shape.zones ?? ['shop-prod'];
        const product = buildSloProduct([buildSlo({ objective, ...shape.slo, zones: [...zones] })]);
        product.spec.delivery.zones = zones.map((name) => ({ name }));
        const groups = toRuleGroups(product, defaultRetentionMs).map((group) => ({
          ...group,
          rules: group.rules.map(({ annotations: _texts, ...rule }) => rule),
        }));
        const series = zones.flatMap((namespace) =>
          generateOutage(draw, {
            namespace,
            exporter: shape.exporter,
            outage: namespace === 'healthy' ? { ...outage, badShare: 0 } : outage,
          }),
        );
        const test = {
          interval: `${scrapeSeconds}s`,
          input_series: series.map(formatSeries),
          promql_expr_test: [
            ...toExpectations(outage, budget),
            {
              expr: 'count(present_over_time(ALERTS{zone="healthy"}[10h]))',
              eval_time: `${lastSeconds}s`,
              exp_samples: [],
            },
          ],
        };
        const tests = { evaluation_interval: `${evaluationSeconds}s`, tests: [test] };
        const { ok, output } = await runPromtool('test', { groups, test: tests });
        expect(ok, `TEST_SEED=${testSeed}, ${JSON.stringify({ objective, outage })}\n${output}`).toBe(true);
      }
    },
    1_800_000,
  );
});
