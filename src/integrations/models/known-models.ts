import type { ModelPrice } from '../../rules/agents/model-prices.ts';
import type { ModelProvider, ProviderKind } from '../../rules/agents/model-provider.ts';

type Table = typeof import('@pydantic/genai-prices');
type Known = NonNullable<ReturnType<Table['calcPrice']>>;

/** What the table of the prices' maintainers calls each provider; a compatible endpoint is known by its address. */
const tableNames: Partial<Record<ProviderKind, string>> = {
  anthropic: 'anthropic',
  openai: 'openai',
  google: 'google',
  bedrock: 'aws',
};

export type Tokens = {
  inputTokens: number;
  outputTokens: number;
  cachedInputTokens?: number | undefined;
  cacheWriteTokens?: number;
};
export type KnownModel = {
  contextTokens?: number;
  price: ModelPrice;
  /** With all that the price depends on: how long the question is, what was written to the cache. */
  costMicroUsd(tokens: Tokens): number | undefined;
};

/** Looks a provider's models up in the table that comes with the package: nothing is asked of the network. */
export async function knownModels(provider: ModelProvider): Promise<(model: string) => KnownModel | undefined> {
  const { calcPrice, findProvider } = await import('@pydantic/genai-prices');
  const providerId = tableNames[provider.kind];
  const found = findProvider(providerId === undefined ? { providerApiUrl: provider.baseUrl ?? '' } : { providerId });
  if (!found) return () => undefined;
  const calculate = (model: string, tokens: Tokens): Known | null =>
    calcPrice(
      {
        input_tokens: tokens.inputTokens,
        output_tokens: tokens.outputTokens,
        cache_read_tokens: tokens.cachedInputTokens ?? 0,
        cache_write_tokens: tokens.cacheWriteTokens ?? 0,
      },
      model,
      { provider: found },
    );
  return (model) => {
    const known = calculate(model, { inputTokens: 0, outputTokens: 0 });
    return known ? { ...describe(model, known), costMicroUsd: (tokens) => cost(calculate, model, tokens) } : undefined;
  };
}

function cost(
  calculate: (model: string, tokens: Tokens) => Known | null,
  model: string,
  tokens: Tokens,
): number | undefined {
  try {
    const total = calculate(model, tokens)?.total_price;
    return total === undefined ? undefined : Math.round(total * 1_000_000);
  } catch {
    // Counts that contradict each other: some endpoints report them so.
    return undefined;
  }
}

function describe(model: string, { model: { context_window: contextTokens }, model_price: prices }: Known) {
  const cached = base(prices['cache_read_mtok']);
  const price: ModelPrice = {
    model,
    inputPerMillion: base(prices['input_mtok']) ?? 0,
    outputPerMillion: base(prices['output_mtok']) ?? 0,
    ...(cached !== undefined && { cachedInputPerMillion: cached }),
    currency: 'USD',
  };
  return { price, ...(contextTokens !== undefined && { contextTokens }) };
}

const base = (price: Known['model_price'][string]): number | undefined =>
  typeof price === 'object' ? price.base : price;
