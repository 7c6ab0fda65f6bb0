import type { SloSpec } from '../../../../src/rules/slos/kinds.ts';
import { buildSlo } from '../../../rules/slos/build-slo.ts';
import { createRandom } from '../../../support/sample.ts';
import type { Draw, Exporter } from './generate-traffic.ts';

const metric = 'http_requests_total';
const histogram = 'http_request_duration_seconds';
const request = { metric, role: 'request' } as const;
const error = { metric, role: 'error' } as const;

export type Objective = { slo: SloSpec; exporter: Exporter };

/** Splits bad requests over two codes, and writes requests that are no errors of the server. */
const byCode: Exporter = (draw) => {
  const isLazy = draw(2) === 0;
  return {
    counters: [
      { ...request, labels: { code: '200' } },
      { ...request, labels: { code: '404' } },
      { ...error, labels: { code: '500' }, isLazy },
      { ...error, labels: { code: '503' }, isLazy },
    ],
    observe({ good, bad }) {
      const [missing, broken] = [Math.floor(good / 5), Math.floor(bad / 2)];
      return [good - missing, missing, broken, bad - broken];
    },
  };
};

/** Counts only the requests of a filter and not the much traffic that always fails. */
const byFilter: Exporter = (draw) => ({
  counters: [
    { ...request, labels: { status: 'fine', path: '/' } },
    { ...error, labels: { status: 'broken', path: '/' }, isLazy: draw(2) === 0 },
    { metric, role: 'noise', labels: { status: 'broken', path: '/healthz' } },
  ],
  observe: ({ good, bad }) => [good, bad, 1_000],
});

const byLatency =
  (le: string): Exporter =>
  () => ({
    counters: [
      { metric: `${histogram}_count`, role: 'request', labels: {} },
      { metric: `${histogram}_bucket`, role: 'within', labels: { le } },
      { metric: `${histogram}_bucket`, role: 'noise', labels: { le: '0.001' } },
      { metric: `${histogram}_bucket`, role: 'noise', labels: { le: '+Inf' } },
    ],
    observe: ({ good, bad }) => [good + bad, good, Math.floor(good / 2), good + bad],
  });

const latency = (threshold: string): Partial<SloSpec> => ({ indicator: { latency: { histogram, threshold } } });
const shapes: ((draw: Draw) => { slo: Partial<SloSpec>; exporter: Exporter })[] = [
  () => ({ slo: {}, exporter: byCode }),
  () => ({
    slo: { indicator: { availability: { metric, errors: 'status="broken"', filter: 'path!="/healthz"' } } },
    exporter: byFilter,
  }),
  (draw) => ({ slo: latency('1'), exporter: byLatency(draw(2) === 0 ? '1' : '1.0') }),
  () => ({ slo: latency('0.25'), exporter: byLatency('0.25') }),
];

/** Draws an objective between 75 and 99.9999 percent, and an app that exports what it counts. */
export function createObjective(index: number): Objective {
  const draw = createRandom(index);
  const shape = shapes[index % shapes.length]!(draw);
  const digits = 1 + draw(3);
  const failing = [40, 1_000, 10_000][draw(3)]!;
  const objective = (100 - ((1 + draw(failing)) / (failing * 10 ** (digits - 1))) * 10).toFixed(digits);
  return { slo: buildSlo({ name: `slo-${index}`, objective, ...shape.slo }), exporter: shape.exporter };
}
