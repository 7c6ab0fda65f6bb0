import { type ModelProvider, type ProviderKind, secretsOf } from '../../rules/agents/model-provider.ts';
import type { ModelPrice } from '../../rules/agents/model-prices.ts';
import { costMicroUsd } from '../../rules/agents/turn-cost.ts';
import { type Adapter, withoutRedirects } from './adapter.ts';
import { askModel, type RawAnswer } from './ask-model.ts';
import { type KnownModel, knownModels } from './known-models.ts';
import type { Answer, PricedModel } from './models.ts';
import { patientFetch } from './patient-fetch.ts';
import { type Asked, providerRefusal } from './provider-error.ts';

/** A provider, and what its settings are called by those who set them. */
export type Used = { provider: ModelProvider; settings: Asked['settings']; answerTimeoutMs?: number | undefined };

/** No answer takes longer from a provider that still works on it. */
const defaultAnswerTimeoutMs = 15 * 60_000;
/** Far more than any model writes. */
const answerBytesMax = 16 * 1024 * 1024;

/** Each vendor's package is loaded when it is first needed: most installations use one of them. */
const adapters: Record<ProviderKind, () => Promise<Adapter>> = {
  anthropic: async () => (await import('./anthropic.ts')).anthropic,
  openai: async () => (await import('./openai.ts')).openAi,
  google: async () => (await import('./google.ts')).google,
  bedrock: async () => (await import('./bedrock.ts')).bedrock,
  'openai-compatible': async () => (await import('./openai-compatible.ts')).openAiCompatible,
};

export const adapterOf = async ({ kind }: ModelProvider): Promise<Adapter> => await adapters[kind]();

export function askedOf({ provider, settings }: Used, adapter: Adapter, model: string): Asked {
  const secrets = secretsOf(provider);
  return {
    model,
    address: adapter.address(provider),
    settings,
    keyField: secrets.at(-1)?.field ?? 'apiKey',
    secrets: secrets.flatMap(({ value }) => value ?? []),
  };
}

/** Opens one model; `prices` are the org's own. */
export async function openModel(
  used: Used,
  { name, prices }: { name: string; prices: readonly ModelPrice[] },
): Promise<PricedModel> {
  const { provider, answerTimeoutMs: timeoutMs = defaultAnswerTimeoutMs } = used;
  const [adapter, known] = await Promise.all([adapterOf(provider), knownModels(provider)]);
  const priced = { own: prices.find(({ model }) => model === name), known: known(name) };
  const asked = askedOf(used, adapter, name);
  const fetch = withoutRedirects(patientFetch({ timeoutMs, bytesMax: answerBytesMax }));
  return {
    name,
    isPriced: priced.own !== undefined || priced.known !== undefined,
    async answer(question) {
      try {
        const model = adapter.open(provider, name, fetch);
        return withCost(await askModel({ model, options: adapter.options, timeoutMs }, question), priced);
      } catch (error) {
        if (question.signal?.aborted) throw question.signal.reason;
        throw providerRefusal(error, asked);
      }
    },
  };
}

type Priced = { own: ModelPrice | undefined; known: KnownModel | undefined };

function withCost({ cacheWriteTokens, ...answer }: RawAnswer, { own, known }: Priced): Answer {
  const cost = own ? costMicroUsd(own, answer.usage) : known?.costMicroUsd({ ...answer.usage, cacheWriteTokens });
  const told = cost === undefined ? { costUnknown: true as const } : { costMicroUsd: cost };
  return { ...answer, usage: { ...answer.usage, ...told } };
}
