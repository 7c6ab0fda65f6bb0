import { z } from 'zod';

const perMillion = z.number().min(0).max(100_000);

/** What a model costs, in money per million tokens. */
export const ModelPrice = z.strictObject({
  model: z.string().trim().min(1).max(200),
  inputPerMillion: perMillion,
  outputPerMillion: perMillion,
  /** Input that the provider had kept; as any other input when absent. */
  cachedInputPerMillion: perMillion.optional(),
  currency: z.literal('USD'),
});
export type ModelPrice = z.infer<typeof ModelPrice>;

/** An org's own prices: they go before the known ones. */
export const ModelPrices = z.array(ModelPrice).max(500);

/** The config object of the org's namespace that holds them, as JSON under the key `prices`. */
export const modelPricesName = 'model-prices';
