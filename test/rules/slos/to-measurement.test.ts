import { expect, it } from 'vitest';
import { toMeasurement } from '../../../src/rules/slos/to-measurement.ts';

const sample = (name: string, value: number, slo = 'fast', zone = 'shop-prod') => ({
  labels: { __name__: name, slo, zone },
  value,
});
const target = { slo: 'fast', zone: 'shop-prod', window: '7d' };

it('picks the values of one SLO in one zone', () =>
  expect(
    toMeasurement(
      [
        sample('service:slo_errors:ratio_1h', 0.5, 'other'),
        sample('service:slo_errors:ratio_1h', 0.4, 'fast', 'shop-rc'),
        sample('service:slo_errors:ratio_1h', 0.01),
        sample('service:slo_errors:ratio_7d', 0.002),
        sample('service:slo_requests:increase_5m', 600),
      ],
      target,
    ),
  ).toEqual({ ratios: { '1h': 0.01 }, windowRatio: 0.002, requestsPerSecond: 2 }));

it('leaves out what is not a number', () =>
  expect(toMeasurement([sample('service:slo_errors:ratio_5m', Number.NaN)], target)).toEqual({ ratios: {} }));
