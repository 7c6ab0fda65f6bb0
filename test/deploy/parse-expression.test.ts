import { expect, it } from 'vitest';
import { parseExpression } from './parse-expression.ts';

it('lists the metrics and labels of an expression', () =>
  expect(parseExpression('sum by (a) (rate(b_total{c="d"}[5m])) / on (e) max(f) > 1')).toEqual({
    metrics: ['b_total', 'f'],
    labels: ['a', 'c', 'e'],
  }));

it('refuses text that is no expression', () => expect(() => parseExpression('sum(a{b=}')).toThrow('cannot be parsed'));
