import { z } from 'zod';

const PricePerMillion = z.number().min(0).max(100_000);

/** The price of a model per million tokens. */
export const ModelPrice = z.strictObject({
  model: z.string().trim().min(1).max(200),
  inputPerMillion: PricePerMillion,
  outputPerMillion: PricePerMillion,
  /** The price of cached input tokens; defaults to the price of input tokens. */
  cachedInputPerMillion: PricePerMillion.optional(),
  currency: z.literal('USD'),
});
export type ModelPrice = z.infer<typeof ModelPrice>;

/** The prices that an org sets; they take precedence over the built-in prices. */
export const ModelPrices = z.array(ModelPrice).max(500);

/** The ConfigMap in the org's namespace that holds the prices, as JSON under the key `prices`. */
export const modelPricesConfigMapName = 'model-prices';
