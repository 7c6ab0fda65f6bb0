import { expect, it } from 'vitest';
import { toObjectiveStates } from '../../../src/rules/status-page/to-objective-states.ts';

const indicator = { availability: { metric: 'http_requests_total' } };
const slo = { name: 'answers', objective: '99.9', indicator };
const delivery = { zones: [{ name: 'shop-rc' }, { name: 'shop-prod' }] };
const retentionMs = 14 * 86_400_000;
const ratio = (range: string, value: number, zone = 'shop-prod') => ({
  labels: { __name__: `service:slo_errors:ratio_${range}`, slo: 'answers', zone },
  value,
});

it.each([
  ['Prometheus does not answer', undefined, { state: 'unknown' }],
  ['there were no requests', [ratio('14d', Number.NaN)], { state: 'no-traffic' }],
  ['another zone is measured', [ratio('14d', 0, 'shop-rc')], { state: 'no-traffic' }],
  ['few requests failed', [ratio('1h', 0.9), ratio('14d', 0.0005)], { state: 'meeting', attainment: 0.9995 }],
  ['the budget is spent', [ratio('14d', 0.002)], { state: 'spent', attainment: 0.998 }],
  ['it burns fast', [ratio('1h', 0.5), ratio('5m', 0.5), ratio('14d', 0)], { state: 'burning', attainment: 1 }],
  [
    'it burns although the budget is spent',
    [ratio('1h', 0.5), ratio('5m', 0.5), ratio('14d', 0.5)],
    { state: 'burning', attainment: 0.5 },
  ],
] as const)('judges an SLO when %s', (_, samples, expected) => {
  const spec = { repos: [], delivery, slos: [slo] };
  expect(toObjectiveStates(spec, { samples, retentionMs })).toEqual([
    { slo: 'answers', zone: 'shop-prod', objective: '99.9', ...expected },
  ]);
});

it('judges each zone that the SLO names, and nothing without SLOs', () => {
  const spec = { repos: [], delivery, slos: [{ ...slo, zones: ['shop-rc', 'shop-prod'] }] };
  expect(toObjectiveStates(spec, { samples: [ratio('14d', 0, 'shop-rc')], retentionMs })).toMatchObject([
    { zone: 'shop-rc', state: 'meeting' },
    { zone: 'shop-prod', state: 'no-traffic' },
  ]);
  expect(toObjectiveStates({ repos: [], delivery }, { samples: [], retentionMs })).toEqual([]);
});
