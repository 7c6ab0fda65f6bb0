import { expect, it } from 'vitest';
import { defaultRetentionMs } from '../../../src/rules/slos/slo-window.ts';
import { toRuleGroups } from '../../../src/rules/slos/to-prometheus-rule.ts';
import { buildSloProduct } from '../../rules/slos/build-slo-product.ts';
import { createRandom, isExhaustive, sample, testSeed } from '../../support/sample.ts';
import { describeWithPrometheus } from '../../support/servers/prometheus.ts';
import { runPromtool } from '../../support/servers/promtool.ts';
import { alertNames, countBurn } from './burn/count-burn.ts';
import { createObjective, type Objective } from './burn/create-objective.ts';
import { formatSeries } from './burn/format-series.ts';
import { generateTraffic, scrapeSeconds } from './burn/generate-traffic.ts';

const objectives = 200;
const seriesPerObjective = 50;
/** An evaluation never coincides with a scrape, because versions of Prometheus differ in what the start of a range includes. */
const evaluationMs = 433_001;

/** Asks the engine of Prometheus for the alerts of each evaluation, and expects those that were counted. */
async function compare({ slo, exporter }: Objective, seed: number) {
  const draw = createRandom(seed);
  const budget = (100 - Number(slo.objective)) / 100;
  const zones = Array.from({ length: seriesPerObjective }, (_, index) => `zone-${index}`);
  const product = buildSloProduct([{ ...slo, zones }]);
  product.spec.delivery.zones = zones.map((name) => ({ name, promotionPolicy: 'automatic' }));
  const traffic = new Map(
    zones.map((zone) => [zone, generateTraffic(draw, { zone, budget, createExporter: exporter })]),
  );
  const counts = { burns: 0, quiet: 0, close: 0 };
  const expected = Array.from({ length: 55 }, (_, index) => (index + 2) * evaluationMs).flatMap((at) =>
    alertNames.map((alert) => {
      const decisions = zones.map((zone) => {
        const decision = countBurn(traffic.get(zone)!, { alert, budget, at: at / 1_000 });
        counts[decision] += 1;
        return { zone, decision };
      });
      const find = (wanted: string) => decisions.filter(({ decision }) => decision === wanted).map(({ zone }) => zone);
      return {
        expr: `count by (zone) (ALERTS{alertname="${alert}", zone!~"${find('close').join('|')}"})`,
        eval_time: `${at}ms`,
        exp_samples: find('burns').map((zone) => ({ labels: `{zone="${zone}"}`, value: 1 })),
      };
    }),
  );
  const test = {
    evaluation_interval: `${evaluationMs}ms`,
    tests: [
      {
        interval: `${scrapeSeconds}s`,
        input_series: [...traffic.values()].flat().map(formatSeries),
        promql_expr_test: expected,
      },
    ],
  };
  const groups = toRuleGroups(product, defaultRetentionMs).map((group) => ({
    ...group,
    rules: group.rules.map(({ annotations: _texts, ...rule }) => rule),
  }));
  return { ...(await runPromtool('test', { groups, test })), counts };
}

describeWithPrometheus('burn alerts', () => {
  it('decide as a count of the raw samples does', async () => {
    const all = Array.from({ length: objectives }, (_, index) => index);
    const total = { burns: 0, quiet: 0, close: 0 };
    const differences: string[] = [];
    for (const index of sample(all, 1)) {
      const { ok, output, counts } = await compare(createObjective(index), testSeed + index);
      if (!ok) differences.push(`objective ${index}, TEST_SEED=${testSeed}\n${output.slice(0, 5_000)}`);
      for (const decision of ['burns', 'quiet', 'close'] as const) total[decision] += counts[decision];
    }
    expect(differences).toEqual([]);
    expect(total.burns).toBeGreaterThan(100);
    // One objective in a hundred has a tenth of its decisions too close to count; all have 2 % on average.
    expect(total.close / (total.burns + total.quiet + total.close)).toBeLessThan(isExhaustive ? 0.05 : 0.2);
  }, 3_600_000);
});
