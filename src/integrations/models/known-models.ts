import { toCostMicroUsd } from '../../rules/agents/to-cost-micro-usd.ts';
import type { ModelPrice } from '../../rules/agents/model-prices.ts';
import type { ModelProvider, ProviderKind } from '../../rules/agents/model-provider.ts';

type PriceTable = typeof import('@pydantic/genai-prices');
type PriceCalculation = NonNullable<ReturnType<PriceTable['calcPrice']>>;

/** The ids of providers in the price table. A compatible endpoint is matched by its URL. */
const tableProviderIds: Partial<Record<ProviderKind, string>> = {
  anthropic: 'anthropic',
  openai: 'openai',
  google: 'google',
  bedrock: 'aws',
};

export type TokenCounts = {
  inputTokens: number;
  outputTokens: number;
  cachedInputTokens?: number | undefined;
  cacheWriteTokens?: number;
};
export type KnownModel = {
  contextTokens?: number;
  price: ModelPrice;
  /** Includes prices that depend on the length of the request and on cache writes. */
  calculateCostMicroUsd(tokens: TokenCounts): number | undefined;
};

/** Looks models up in the price table of the package, without network access. */
export async function loadKnownModels(provider: ModelProvider): Promise<(model: string) => KnownModel | undefined> {
  const { calcPrice, findProvider } = await import('@pydantic/genai-prices');
  const providerId = tableProviderIds[provider.kind];
  const tableProvider = findProvider(
    providerId === undefined ? { providerApiUrl: provider.baseUrl ?? '' } : { providerId },
  );
  if (!tableProvider) return () => undefined;
  const calculate = (model: string, tokens: TokenCounts): PriceCalculation | null =>
    calcPrice(
      {
        input_tokens: tokens.inputTokens,
        output_tokens: tokens.outputTokens,
        cache_read_tokens: tokens.cachedInputTokens ?? 0,
        cache_write_tokens: tokens.cacheWriteTokens ?? 0,
      },
      model,
      { provider: tableProvider },
    );
  return (model) => {
    const calculation = calculate(model, { inputTokens: 0, outputTokens: 0 });
    if (!calculation) return undefined;
    const known = describeModel(model, calculation);
    return {
      ...known,
      calculateCostMicroUsd: (tokens) =>
        calculateCostMicroUsd((counts) => calculate(model, counts), known.price, tokens),
    };
  };
}

function calculateCostMicroUsd(
  calculate: (tokens: TokenCounts) => PriceCalculation | null,
  price: ModelPrice,
  tokens: TokenCounts,
): number | undefined {
  try {
    const total = calculate(tokens)?.total_price;
    return total === undefined ? undefined : Math.round(total * 1_000_000);
  } catch {
    // Some endpoints report token counts that contradict each other. Without a cost, no limit would ever end the step.
    return toCostMicroUsd(price, tokens);
  }
}

function describeModel(
  model: string,
  { model: { context_window: contextTokens }, model_price: prices }: PriceCalculation,
) {
  const cached = toBasePrice(prices['cache_read_mtok']);
  const price: ModelPrice = {
    model,
    inputPerMillion: toBasePrice(prices['input_mtok']) ?? 0,
    outputPerMillion: toBasePrice(prices['output_mtok']) ?? 0,
    ...(cached !== undefined && { cachedInputPerMillion: cached }),
    currency: 'USD',
  };
  return { price, ...(contextTokens !== undefined && { contextTokens }) };
}

const toBasePrice = (price: PriceCalculation['model_price'][string]): number | undefined =>
  typeof price === 'object' ? price.base : price;
