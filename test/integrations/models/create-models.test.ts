import { describe, expect, it } from 'vitest';
import { createModels } from '../../../src/integrations/models/create-models.ts';
import { toolResultsMessage, type Question } from '../../../src/integrations/models/models.ts';
import type { ModelPrice } from '../../../src/rules/agents/model-prices.ts';
import type { ModelProvider } from '../../../src/rules/agents/model-provider.ts';
import { chatCompletion, messageAnswer, type Said, startAnyProvider } from '../../support/any-provider.ts';

const key = 'sk-of-the-org';
const parameters = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
const question: Question = {
  system: 'Be brief.',
  messages: [{ role: 'user', content: 'Go.' }],
  tools: [{ name: 'read_file', description: 'Reads.', parameters }],
};
const said: Said = {
  text: 'Reading.',
  calls: [{ id: 'c1', name: 'read_file', arguments: '{"path":"a"}' }],
  cached: 400,
};

const modelsOf = (provider: ModelProvider | undefined, prices: ModelPrice[] = []) =>
  createModels({ providerOf: async () => provider, pricesOf: async () => prices, installation: undefined });

const generated = {
  candidates: [
    {
      content: {
        role: 'model',
        parts: [{ text: 'Reading.' }, { functionCall: { name: 'read_file', args: { path: 'a' } } }],
      },
    },
  ],
  usageMetadata: { promptTokenCount: 1000, candidatesTokenCount: 11, cachedContentTokenCount: 400 },
};
const converse = {
  output: {
    message: {
      role: 'assistant',
      content: [{ text: 'Reading.' }, { toolUse: { toolUseId: 'c1', name: 'read_file', input: { path: 'a' } } }],
    },
  },
  stopReason: 'tool_use',
  usage: { inputTokens: 600, outputTokens: 11, totalTokens: 1011, cacheReadInputTokens: 400 },
};

type Row = [
  provider: (url: string) => ModelProvider,
  reply: object,
  path: RegExp,
  header: [string, RegExp],
  cost: number | undefined,
];
const rows: Row[] = [
  [
    (url) => ({ kind: 'anthropic', model: 'claude-sonnet-4-5', baseUrl: url, apiKey: key }),
    messageAnswer(said),
    /^\/messages$/,
    ['x-api-key', /^sk-of-the-org$/],
    600 * 3 + 400 * 0.3 + 11 * 15,
  ],
  [
    (url) => ({ kind: 'openai', model: 'gpt-4o', baseUrl: url, apiKey: key }),
    chatCompletion(said),
    /^\/chat\/completions$/,
    ['authorization', /^Bearer sk-of-the-org$/],
    600 * 2.5 + 400 * 1.25 + 11 * 10,
  ],
  [
    (url) => ({ kind: 'google', model: 'gemini-2.5-flash', baseUrl: url, apiKey: key }),
    generated,
    /^\/models\/gemini-2.5-flash:generateContent$/,
    ['x-goog-api-key', /^sk-of-the-org$/],
    Math.round(600 * 0.3 + 400 * 0.03 + 11 * 2.5),
  ],
  [
    (url) => ({
      kind: 'bedrock',
      model: 'anthropic.claude-3-5-sonnet-20240620-v1:0',
      baseUrl: url,
      region: 'eu-central-1',
      accessKeyId: 'AKIDEXAMPLE',
      secretAccessKey: key,
    }),
    converse,
    /^\/model\/anthropic.claude-3-5-sonnet-20240620-v1%3A0\/converse$/,
    ['authorization', /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-central-1\/bedrock/],
    expect.any(Number),
  ],
  [
    (url) => ({ kind: 'openai-compatible', model: 'any', baseUrl: url }),
    chatCompletion(said),
    /^\/chat\/completions$/,
    ['authorization', /^undefined$/],
    undefined,
  ],
];

describe('a model of an org', () => {
  it.each(rows)('is asked in the words of its provider, %#', async (providerAt, reply, path, [header, value], cost) => {
    const { url, asked } = await startAnyProvider(() => ({ body: reply }));
    const model = await modelsOf(providerAt(url)).forOrg('acme');
    const answer = await model.answer(question);
    expect(asked[0]?.path).toMatch(path);
    expect(String(asked[0]?.headers[header])).toMatch(value);
    expect(answer).toMatchObject({ text: 'Reading.', toolCalls: [{ name: 'read_file', input: { path: 'a' } }] });
    const costs = cost === undefined ? { costUnknown: true } : { costMicroUsd: cost };
    expect(answer.usage).toEqual({ inputTokens: 1000, outputTokens: 11, cachedInputTokens: 400, ...costs });
    expect(model.isPriced).toBe(cost !== undefined);

    const results = toolResultsMessage(answer.toolCalls.map((call) => ({ call, text: 'the file', isError: false })));
    const messages = JSON.parse(JSON.stringify([...question.messages, ...answer.messages, results]));
    await model.answer({ ...question, messages });
    expect(JSON.stringify(asked[1]?.body)).toContain('the file');
  });

  it('has its provider keep the conversation, where that has to be asked for', async () => {
    const { url, asked } = await startAnyProvider(() => ({ body: messageAnswer(said) }));
    const models = modelsOf({ kind: 'anthropic', model: 'claude-sonnet-4-5', baseUrl: url, apiKey: key });
    await (await models.forOrg('acme')).answer(question);
    expect(asked[0]?.body).toMatchObject({ cache_control: { type: 'ephemeral' } });
  });

  it('costs what the org says, and is named by the AgentRole', async () => {
    const { url, asked } = await startAnyProvider(() => ({ body: chatCompletion(said) }));
    const own = { model: 'tiny', inputPerMillion: 1, outputPerMillion: 2, currency: 'USD' as const };
    const models = modelsOf({ kind: 'openai', model: 'gpt-4o', baseUrl: url, apiKey: key }, [own]);
    const { usage } = await (await models.forOrg('acme', 'tiny')).answer(question);
    expect(usage.costMicroUsd).toBe(1000 + 22);
    expect(asked[0]?.body['model']).toBe('tiny');
  });

  it('is nobody’s where neither the org nor the installation has a provider', async () => {
    await expect(modelsOf(undefined).forOrg('acme')).rejects.toMatchObject({ code: 'forbidden' });
    expect(await modelsOf(undefined).offered('acme')).toEqual([]);
  });

  it('does not follow a redirect, which would take the key along', async () => {
    const { url, asked } = await startAnyProvider(({ path }) =>
      path === '/v1/messages'
        ? { status: 307, headers: { location: '/elsewhere' }, body: '' }
        : { body: messageAnswer(said) },
    );
    const provider: ModelProvider = { kind: 'anthropic', model: 'm', baseUrl: `${url}/v1`, apiKey: key };
    await expect((await modelsOf(provider).forOrg('acme')).answer(question)).rejects.toMatchObject({
      code: 'unavailable',
    });
    expect(asked.map(({ path }) => path)).toEqual(['/v1/messages']);
  });

  it('waits no longer than an hour, whatever the provider says', async () => {
    const reply = {
      status: 529,
      headers: { 'retry-after': '864000' },
      body: { type: 'error', error: { message: 'x' } },
    };
    const { url } = await startAnyProvider(() => reply);
    const model = await modelsOf({ kind: 'anthropic', model: 'm', baseUrl: url, apiKey: key }).forOrg('acme');
    await expect(model.answer(question)).rejects.toMatchObject({ code: 'unavailable', retryAfterMs: 3_600_000 });
  });
});

describe('what a provider offers', () => {
  const listings: [provider: (url: string) => ModelProvider, path: string, body: object][] = [
    [
      (url) => ({ kind: 'anthropic', model: 'claude-sonnet-4-5', baseUrl: url, apiKey: key }),
      '/models?limit=1000',
      { data: [{ id: 'claude-opus-4-1' }] },
    ],
    [
      (url) => ({ kind: 'openai', model: 'gpt-4o', baseUrl: url, apiKey: key }),
      '/models',
      { data: [{ id: 'gpt-4.1' }] },
    ],
    [
      (url) => ({ kind: 'google', model: 'gemini-2.5-flash', baseUrl: url, apiKey: key }),
      '/models?pageSize=1000',
      {
        models: [
          { name: 'models/gemini-2.5-pro', supportedGenerationMethods: ['generateContent'] },
          { name: 'models/embedder', supportedGenerationMethods: ['embedContent'] },
        ],
      },
    ],
    [
      (url) => ({ kind: 'bedrock', model: 'm', baseUrl: url, region: 'r', accessKeyId: 'a', secretAccessKey: key }),
      '/foundation-models',
      {
        modelSummaries: [
          { modelId: 'amazon.nova-pro-v1:0', outputModalities: ['TEXT'] },
          { modelId: 'i', outputModalities: ['IMAGE'] },
        ],
      },
    ],
    [
      (url) => ({ kind: 'openai-compatible', model: 'm', baseUrl: `${url}/`, apiKey: key }),
      '/models',
      { data: [{ id: 'llama' }] },
    ],
  ];
  it.each(listings)('is listed with what is known of it, %#', async (providerAt, path, body) => {
    const { url, asked } = await startAnyProvider(() => ({ body }));
    const provider = providerAt(url);
    const offered = await modelsOf(provider).offered('acme');
    expect(asked).toMatchObject([{ method: 'GET', path }]);
    expect(offered).toHaveLength(2);
    expect(offered.filter(({ isDefault }) => isDefault).map(({ model }) => model)).toEqual([provider.model]);
    const known = offered.filter(({ price }) => price?.source === 'known' && price.outputPerMillion > 0);
    expect(known).toHaveLength({ 'openai-compatible': 0, bedrock: 1 }[provider.kind as string] ?? 2);
  });

  it('is unavailable where the provider does not say, and what it says instead is not told', async () => {
    const { url } = await startAnyProvider(() => ({ status: 404, body: 'instance-secret' }));
    const listing = modelsOf({ kind: 'openai-compatible', model: 'm', baseUrl: url, apiKey: key }).offered('acme');
    const error: unknown = await listing.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'unavailable' });
    expect(String(error)).not.toMatch(/instance-secret|sk-of/);
  });
});
