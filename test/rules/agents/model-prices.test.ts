import { expect, it } from 'vitest';
import { parseModelPrices } from '../../../src/rules/agents/model-prices.ts';

it('reads the prices of an org, which has none before it sets one', () => {
  const price = { model: 'small', inputPerMillion: 1, outputPerMillion: 2, currency: 'USD' };
  expect(parseModelPrices({ prices: JSON.stringify([price]) })).toEqual([price]);
  expect(parseModelPrices({})).toEqual([]);
  expect(parseModelPrices(undefined)).toEqual([]);
});

it('rejects prices that are none', () => {
  expect(() => parseModelPrices({ prices: '[{"model":"small","inputPerMillion":-1}]' })).toThrow('inputPerMillion');
});
