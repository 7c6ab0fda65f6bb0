import { expect, it } from 'vitest';
import { findBurn, judgeSlo } from '../../../src/rules/slos/judge-slo.ts';

it.each([
  ['both windows are above 14.4 times the budget', { '1h': 0.0145, '5m': 0.0145 }, 'fast'],
  ['only the hour is above', { '1h': 0.5, '5m': 0.001 }, undefined],
  ['only the five minutes are above', { '1h': 0.001, '5m': 0.5 }, undefined],
  ['both are exactly at the threshold', { '1h': 0.0144, '5m': 0.0144 }, undefined],
  ['six hours and 30 minutes are above 6 times', { '6h': 0.0061, '30m': 0.0061 }, 'slow'],
  ['six hours are exactly at the threshold', { '6h': 0.006, '30m': 1 }, undefined],
  ['both alerts fire', { '1h': 1, '5m': 1, '6h': 1, '30m': 1 }, 'fast'],
  ['nothing was measured', {}, undefined],
  ['the traffic stopped', { '1h': 0.5, '6h': 0.5 }, undefined],
] as const)('%s: %o → %s', (_, ratios, burn) => expect(findBurn('99.9', ratios)).toBe(burn));

it.each([
  ['no-traffic', {}, undefined, /No requests/],
  ['meeting', { '1h': 0, '6h': 0.0003 }, 0.0005, /good/],
  ['meeting', {}, 0.0005, /No requests .* last 6 hours/],
  ['meeting', { '6h': 0.0005 }, undefined, /good/],
  ['burning', { '1h': 0.02, '5m': 0.02, '6h': 0.001 }, 0.0005, /14\.4 times too fast, in the last 1h/],
  ['burning', { '6h': 0.0064, '30m': 0.0071 }, 0.0005, /6 times too fast, in the last 6h/],
  ['spent', { '6h': 0 }, 0.001, /More requests failed/],
  ['spent', { '1h': 1, '5m': 1, '6h': 1 }, 0.5, /More requests failed/],
] as const)('is %s with %o and %s in the window', (state, ratios, windowRatio, message) => {
  const verdict = judgeSlo('99.9', { ratios, ...(windowRatio !== undefined && { windowRatio }) });
  expect(verdict.state).toBe(state);
  expect(verdict.message).toMatch(message);
});

it('computes attainment, the budget left and burn rates', () => {
  const verdict = judgeSlo('99.9', { ratios: { '1h': 0.0002, '6h': 0.0003 }, windowRatio: 0.00029 });
  expect(verdict.attainment).toBeCloseTo(0.99971);
  expect(verdict.budgetLeft).toBeCloseTo(0.71);
  expect(verdict.burn1h).toBeCloseTo(0.2);
  expect(verdict.burn6h).toBeCloseTo(0.3);
});
