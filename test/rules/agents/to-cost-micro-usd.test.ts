import { expect, it } from 'vitest';
import { toCostMicroUsd } from '../../../src/rules/agents/to-cost-micro-usd.ts';

const price = { inputPerMillion: 3, outputPerMillion: 15 };

it.each([
  [price, { inputTokens: 1000, outputTokens: 10 }, 3150],
  [price, { inputTokens: 1000, outputTokens: 0, cachedInputTokens: 600 }, 3000],
  [{ ...price, cachedInputPerMillion: 0.3 }, { inputTokens: 1000, outputTokens: 0, cachedInputTokens: 600 }, 1380],
  [{ ...price, cachedInputPerMillion: 0.3 }, { inputTokens: 10, outputTokens: 0, cachedInputTokens: 100 }, 30],
  [{ inputPerMillion: 0.1, outputPerMillion: 0.1 }, { inputTokens: 4, outputTokens: 2 }, 1],
])('with the price %j, %j cost %i', (modelPrice, tokens, cost) => {
  expect(toCostMicroUsd(modelPrice, tokens)).toBe(cost);
});
