import type { Usage } from '../changes/kinds.ts';
import type { ModelPrice } from './model-prices.ts';

type Tokens = Pick<Usage, 'inputTokens' | 'outputTokens' | 'cachedInputTokens'>;

/** A price of one dollar per million tokens is one millionth of a dollar per token, so no conversion is needed. */
export function toCostMicroUsd(
  price: Pick<ModelPrice, 'inputPerMillion' | 'outputPerMillion' | 'cachedInputPerMillion'>,
  { inputTokens, outputTokens, cachedInputTokens = 0 }: Tokens,
): number {
  const cached = cachedInputTokens * (price.cachedInputPerMillion ?? price.inputPerMillion);
  const input = Math.max(0, inputTokens - cachedInputTokens) * price.inputPerMillion;
  return Math.round(cached + input + outputTokens * price.outputPerMillion);
}
