import { expect, it } from 'vitest';
import { toObjectivesQuery, toObjectiveStates } from '../../../src/rules/status-page/to-objective-states.ts';

const slo = { name: 'answers', objective: '99.9' };
const ratio = (range: string, value: number, zone = 'shop-prod') => ({
  labels: { __name__: `service:slo_errors:ratio_${range}`, slo: 'answers', zone },
  value,
});
const alert = (alertstate: string) => ({
  labels: { __name__: 'ALERTS', alertname: 'ServiceFastBurn', alertstate, slo: 'answers', zone: 'shop-prod' },
  value: 1,
});
const judge = (samples: Parameters<typeof toObjectiveStates>[1]['samples'], spec: object = slo) =>
  toObjectiveStates([{ ...slo, ...spec }], { zones: ['shop-prod'], samples })[0];

it.each([
  ['Prometheus does not answer', undefined, { state: 'unknown' }],
  ['there were no requests', [ratio('5m', Number.NaN), ratio('14d', Number.NaN)], { state: 'no-traffic' }],
  ['another zone is measured', [ratio('14d', 0, 'shop-rc')], { state: 'no-traffic' }],
  ['few requests failed', [ratio('1h', 0.9), ratio('14d', 0.0005)], { state: 'meeting', attainment: 0.9995 }],
  ['the budget is spent exactly', [ratio('14d', 0.001)], { state: 'spent', attainment: 0.999 }],
  ['a burn alert waits', [ratio('14d', 0), alert('pending')], { state: 'meeting', attainment: 1 }],
  ['a burn alert fires', [ratio('14d', 0.5), alert('firing')], { state: 'burning', attainment: 0.5 }],
] as const)('judges an SLO when %s', (_, samples, expected) => {
  expect(judge(samples)).toEqual({ slo: 'answers', zone: 'shop-prod', ...expected });
});

it('reads the ratio of the window that the SLO names, in each of its zones', () => {
  expect(judge([ratio('1h', 0.01), ratio('6h', 0)], { window: '6h' })).toMatchObject({ attainment: 1 });
  const spec = { ...slo, zones: ['shop-rc', 'shop-prod'] };
  expect(toObjectiveStates([spec], { zones: [], samples: [ratio('7d', 0, 'shop-rc')] })).toEqual([
    { slo: 'answers', zone: 'shop-rc', state: 'meeting', attainment: 1 },
    { slo: 'answers', zone: 'shop-prod', state: 'no-traffic' },
  ]);
});

it('asks for the series of one Product only', () => {
  expect(toObjectivesQuery({ org: 'acme', product: 'shop' })).toBe(
    '{__name__=~"ALERTS|service:slo_errors:ratio_.+", org="acme", product="shop"}',
  );
});
