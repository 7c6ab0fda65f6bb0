import { z } from 'zod';
import { trimmedText } from '../names.ts';

const PricePerMillion = z.number().min(0).max(100_000);

const ModelName = trimmedText(200);
export const modelPricesMax = 500;

/** The price of a model per million tokens. */
export const ModelPrice = z.strictObject({
  model: ModelName.describe('Model that the price is for.'),
  inputPerMillion: PricePerMillion.describe('Price of a million input tokens.'),
  outputPerMillion: PricePerMillion.describe('Price of a million output tokens.'),
  cachedInputPerMillion: PricePerMillion.optional().describe(
    'Price of a million cached input tokens; defaults to the price of input tokens.',
  ),
  currency: z.literal('USD').describe('Currency of the prices.'),
});
export type ModelPrice = z.infer<typeof ModelPrice>;

/** The prices that an org sets; they take precedence over the built-in prices. */
export const ModelPrices = z.array(ModelPrice).max(modelPricesMax);

/** The models whose prices the org no longer sets. */
export const UnsetPrices = z.array(ModelName).max(modelPricesMax);

/** The ConfigMap in the org's namespace that holds the prices, as JSON under the key `prices`. */
export const modelPricesConfigMapName = 'model-prices';

/** Reads the prices that the ConfigMap of an org holds. */
export const parseModelPrices = (data: Record<string, string> | undefined): ModelPrice[] =>
  ModelPrices.parse(JSON.parse(data?.['prices'] ?? '[]'));
