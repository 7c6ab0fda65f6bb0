import { expect, it } from 'vitest';
import { parseQuantity } from '../../../src/rules/environments/parse-quantity.ts';

it.each([
  ['250m', 0.25],
  ['0.5', 0.5],
  ['2', 2],
  ['256Mi', 256 * 2 ** 20],
  ['1.5Gi', 1.5 * 2 ** 30],
  ['2G', 2e9],
  ['many', undefined],
  ['1Qi', undefined],
])('converts %s to %s', (quantity, amount) => {
  expect(parseQuantity(quantity)).toBe(amount);
});
