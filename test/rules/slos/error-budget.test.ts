import { expect, it } from 'vitest';
import { canFire, formatPercent, toErrorThreshold } from '../../../src/rules/slos/error-budget.ts';

it.each([
  ['99.9', 1, 0.001],
  ['99.9', 14.4, 0.0144],
  ['99.999999', 1, 0.00000001],
  ['99', 6, 0.06],
  ['0', 1, 1],
  ['99.95', 14.4, 0.0072],
])('allows, for %s %% and a factor of %d, a share of %d', (objective, factor, share) =>
  expect(toErrorThreshold(objective, factor)).toBe(share),
);

it.each([
  ['93.06', true, true],
  ['93.055', false, true],
  ['93', false, true],
  ['83.34', false, true],
  ['83.333333', false, false],
  ['0', false, false],
])('an objective of %s %% can fire the fast alert: %s, and the slow one: %s', (objective, fast, slow) => {
  expect(canFire(objective, 'fast')).toBe(fast);
  expect(canFire(objective, 'slow')).toBe(slow);
});

it.each([
  [0.0144, '1.44 %'],
  [0.001, '0.1 %'],
  [1, '100 %'],
])('prints %d as %s', (share, text) => expect(formatPercent(share)).toBe(text));
