import type { Dispatcher } from 'undici';
import { type ModelProvider, type ProviderKind, listProviderSecrets } from '../../rules/agents/model-provider.ts';
import type { ModelPrice } from '../../rules/agents/model-prices.ts';
import { toCostMicroUsd } from '../../rules/agents/to-cost-micro-usd.ts';
import { type Adapter, type Fetch, withoutRedirects } from './adapter.ts';
import { callModel, type RawModelResponse } from './call-model.ts';
import { type KnownModel, loadKnownModels } from './known-models.ts';
import type { ModelResponse, PricedModel } from './models.ts';
import { fetchWithTimeout } from '../network/fetch-with-timeout.ts';
import { type ProviderErrorContext, toProviderError } from './provider-error.ts';

/** A provider, with the names of its settings for error messages. */
export type ConfiguredProvider = {
  provider: ModelProvider;
  settingNames: ProviderErrorContext['settingNames'];
  responseTimeoutMs?: number | undefined;
  /** Sends the requests to a base URL that a tenant named. */
  judged?: Dispatcher | undefined;
};

/** A provider that takes longer is no longer working on the response. */
const defaultResponseTimeoutMs = 15 * 60_000;
/** Much larger than any response of a model. */
const responseBytesMax = 16 * 1024 * 1024;

/** Each vendor's package is loaded on first use, because most installations use only one. */
const adapters: Record<ProviderKind, () => Promise<Adapter>> = {
  anthropic: async () => (await import('./anthropic.ts')).anthropic,
  openai: async () => (await import('./openai.ts')).openAi,
  google: async () => (await import('./google.ts')).google,
  bedrock: async () => (await import('./bedrock.ts')).bedrock,
  'openai-compatible': async () => (await import('./openai-compatible.ts')).openAiCompatible,
};

export const loadAdapter = async ({ kind }: ModelProvider): Promise<Adapter> => await adapters[kind]();

/** The base URL of a vendor or of the operator is trusted; one that a tenant named is judged at each connection. */
export function createFetch(
  { provider, judged }: ConfiguredProvider,
  limits: { timeoutMs: number; bytesMax: number },
): Fetch {
  const dispatcher = provider.baseUrl === undefined ? undefined : judged;
  return withoutRedirects(fetchWithTimeout({ ...limits, dispatcher }));
}

export function toErrorContext(
  { provider, settingNames, judged }: ConfiguredProvider,
  adapter: Adapter,
  model: string,
): ProviderErrorContext {
  return {
    model,
    // Every org reads it, and the address of the installation's own model is not theirs to know.
    endpoint: judged ? adapter.getEndpoint(provider) : settingNames.baseUrl,
    settingNames,
    keyField: listProviderSecrets(provider).at(-1)?.field ?? 'apiKey',
  };
}

/** Opens one model; `prices` are the org's own. */
export async function openModel(
  configured: ConfiguredProvider,
  { name, prices }: { name: string; prices: readonly ModelPrice[] },
): Promise<PricedModel> {
  const { provider, responseTimeoutMs: timeoutMs = defaultResponseTimeoutMs } = configured;
  const [adapter, findKnown] = await Promise.all([loadAdapter(provider), loadKnownModels(provider)]);
  const sources = { orgPrice: prices.find(({ model }) => model === name), knownModel: findKnown(name) };
  const errorContext = toErrorContext(configured, adapter, name);
  const fetch = createFetch(configured, { timeoutMs, bytesMax: responseBytesMax });
  return {
    name,
    isPriced: sources.orgPrice !== undefined || sources.knownModel !== undefined,
    async generate(request) {
      try {
        const model = adapter.openModel(provider, name, fetch);
        return withCost(await callModel({ model, options: adapter.providerOptions, timeoutMs }, request), sources);
      } catch (error) {
        if (request.signal?.aborted) throw request.signal.reason;
        throw toProviderError(error, errorContext);
      }
    },
  };
}

type PriceSources = { orgPrice: ModelPrice | undefined; knownModel: KnownModel | undefined };

function withCost(
  { cacheWriteTokens, ...response }: RawModelResponse,
  { orgPrice, knownModel }: PriceSources,
): ModelResponse {
  const cost = orgPrice
    ? toCostMicroUsd(orgPrice, response.usage)
    : knownModel?.calculateCostMicroUsd({ ...response.usage, cacheWriteTokens });
  const reportedCost = cost === undefined ? { costUnknown: true as const } : { costMicroUsd: cost };
  return { ...response, usage: { ...response.usage, ...reportedCost } };
}
