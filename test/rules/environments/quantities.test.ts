import { expect, it } from 'vitest';
import { amountOf } from '../../../src/rules/environments/quantities.ts';

it.each([
  ['250m', 0.25],
  ['0.5', 0.5],
  ['2', 2],
  ['256Mi', 256 * 2 ** 20],
  ['1.5Gi', 1.5 * 2 ** 30],
  ['2G', 2e9],
  ['many', undefined],
  ['1Qi', undefined],
])('%s amounts to %s', (quantity, amount) => {
  expect(amountOf(quantity)).toBe(amount);
});
