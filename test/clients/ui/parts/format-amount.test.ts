import { expect, it } from 'vitest';
import { formatAmount } from '../../../../src/clients/ui/parts/format-amount.ts';

it.each([
  [0, '0 zones'],
  [1, '1 zone'],
  [1_204, '1,204 zones'],
])('writes %s zones as "%s"', (count, text) => {
  expect(formatAmount(count, 'zone')).toBe(text);
});
