import { describe, expect, it } from 'vitest';
import { loadKnownModels } from '../../../src/integrations/models/known-models.ts';
import type { ModelProvider } from '../../../src/rules/agents/model-provider.ts';

const anthropic: ModelProvider = { kind: 'anthropic', model: 'm', apiKey: 'k' };
const load = async (model: string, provider: ModelProvider = anthropic) => (await loadKnownModels(provider))(model);

describe('loadKnownModels', () => {
  it('knows the price and the context window of a model', async () => {
    expect(await load('claude-sonnet-4-5')).toMatchObject({
      contextTokens: expect.any(Number),
      price: {
        model: 'claude-sonnet-4-5',
        inputPerMillion: 3,
        outputPerMillion: 15,
        cachedInputPerMillion: 0.3,
        currency: 'USD',
      },
    });
  });

  it('knows no model of another provider, of no provider or of no table', async () => {
    expect(await load('gpt-4o')).toBeUndefined();
    expect(await load('no-such-model')).toBeUndefined();
    const own = { kind: 'openai-compatible', model: 'm', baseUrl: 'http://127.0.0.1:9/v1' } as const;
    expect(await load('gpt-4o', own)).toBeUndefined();
  });

  it('knows the provider of a compatible endpoint by its URL', async () => {
    const named = { kind: 'openai-compatible', model: 'm', baseUrl: 'https://api.openai.com/v1' } as const;
    expect(await load('gpt-4o', named)).toMatchObject({ price: { inputPerMillion: 2.5 } });
  });

  it('leaves out the price of a cache that the model does not have', async () => {
    const known = await load('gpt-4', { kind: 'openai', model: 'm', apiKey: 'k' });
    expect(known?.price).toEqual({ model: 'gpt-4', inputPerMillion: 30, outputPerMillion: 60, currency: 'USD' });
  });

  it('calculates a cost with reads and writes of the cache', async () => {
    const known = await load('claude-sonnet-4-5');
    const cost = known?.calculateCostMicroUsd({
      inputTokens: 1_000,
      outputTokens: 100,
      cachedInputTokens: 400,
      cacheWriteTokens: 200,
    });
    expect(cost).toBe(400 * 3 + 400 * 0.3 + 200 * 3.75 + 100 * 15);
    expect(known?.calculateCostMicroUsd({ inputTokens: 1_000, outputTokens: 100 })).toBe(1_000 * 3 + 100 * 15);
  });

  it('costs a turn whose token counts contradict each other, so that a limit of costs still ends the step', async () => {
    const known = await load('claude-sonnet-4-5');
    const tokens = { inputTokens: 1_000, outputTokens: 100, cachedInputTokens: 5_000 };
    expect(known?.calculateCostMicroUsd(tokens)).toBe(5_000 * 0.3 + 100 * 15);
  });
});
