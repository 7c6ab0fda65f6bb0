import { expect, it } from 'vitest';
import { listMetrics } from './list-metrics.ts';

it('lists the metrics of an expression, and no function or label', () =>
  expect(listMetrics('sum by (a) (rate(b_total{c="d"}[5m])) / on (a) max(e) > 1')).toEqual(['b_total', 'e']));

it('refuses text that is no expression', () => expect(() => listMetrics('sum(a{b=}')).toThrow('cannot be parsed'));
