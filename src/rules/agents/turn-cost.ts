import type { Usage } from '../changes/kinds.ts';
import type { ModelPrice } from './model-prices.ts';

type Tokens = Pick<Usage, 'inputTokens' | 'outputTokens' | 'cachedInputTokens'>;

/** In millionths of a dollar, which is what a token costs at one dollar a million. */
export function costMicroUsd(
  price: Pick<ModelPrice, 'inputPerMillion' | 'outputPerMillion' | 'cachedInputPerMillion'>,
  { inputTokens, outputTokens, cachedInputTokens = 0 }: Tokens,
): number {
  const cached = cachedInputTokens * (price.cachedInputPerMillion ?? price.inputPerMillion);
  const input = Math.max(0, inputTokens - cachedInputTokens) * price.inputPerMillion;
  return Math.round(cached + input + outputTokens * price.outputPerMillion);
}
