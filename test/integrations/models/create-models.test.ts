import { Agent } from 'undici';
import { describe, expect, it } from 'vitest';
import { judgedDispatcher } from '../../../src/integrations/http/judged-dispatcher.ts';
import { createModels } from '../../../src/integrations/models/create-models.ts';
import { toToolResultsMessage, type ModelRequest } from '../../../src/integrations/models/models.ts';
import type { ModelPrice } from '../../../src/rules/agents/model-prices.ts';
import { destinationViolation, type ResolvedDestination } from '../../../src/rules/network/destination-violation.ts';
import type { ModelProvider } from '../../../src/rules/agents/model-provider.ts';
import {
  buildChatCompletion,
  buildMessagesResponse,
  type ReplyContent,
  startFakeModelServer,
} from '../../support/changes/fake-model-server.ts';
import { createTestDispatcher } from '../../support/servers/test-dispatcher.ts';

const key = 'sk-of-the-org';
const parameters = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
const question: ModelRequest = {
  system: 'Be brief.',
  messages: [{ role: 'user', content: 'Go.' }],
  tools: [{ name: 'read_file', description: 'Reads.', parameters }],
};
const said: ReplyContent = {
  text: 'Reading.',
  calls: [{ id: 'c1', name: 'read_file', arguments: '{"path":"a"}' }],
  cached: 400,
};

const buildModels = (
  provider: ModelProvider | undefined,
  { prices = [], judged = createTestDispatcher('127.0.0.1') }: { prices?: ModelPrice[]; judged?: Agent } = {},
) =>
  createModels({
    findProvider: async () => provider,
    listPrices: async () => prices,
    defaultProvider: undefined,
    judged,
  });

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
    buildMessagesResponse(said),
    /^\/messages$/,
    ['x-api-key', /^sk-of-the-org$/],
    600 * 3 + 400 * 0.3 + 11 * 15,
  ],
  [
    (url) => ({ kind: 'openai', model: 'gpt-4o', baseUrl: url, apiKey: key }),
    buildChatCompletion(said),
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
    buildChatCompletion(said),
    /^\/chat\/completions$/,
    ['authorization', /^undefined$/],
    undefined,
  ],
];

it('tells the model which results of tools are errors', () => {
  const call = { id: 'c1', name: 'read_file', input: {} };
  const { content } = toToolResultsMessage([
    { call, text: 'the file', isError: false },
    { call, text: 'no such file', isError: true },
  ]);
  expect(content).toMatchObject([
    { toolCallId: 'c1', toolName: 'read_file', output: { type: 'text', value: 'the file' } },
    { toolCallId: 'c1', toolName: 'read_file', output: { type: 'error-text', value: 'no such file' } },
  ]);
});

describe('forOrg', () => {
  it.each(rows)('uses the protocol of its provider, %#', async (providerAt, reply, path, [header, value], cost) => {
    const { url, asked } = await startFakeModelServer(() => ({ body: reply }));
    const model = await buildModels(providerAt(url)).forOrg('acme');
    const answer = await model.generate(question);
    expect(asked[0]?.path).toMatch(path);
    expect(String(asked[0]?.headers[header])).toMatch(value);
    expect(answer).toMatchObject({ text: 'Reading.', toolCalls: [{ name: 'read_file', input: { path: 'a' } }] });
    const costs = cost === undefined ? { costUnknown: true } : { costMicroUsd: cost };
    expect(answer.usage).toEqual({ inputTokens: 1000, outputTokens: 11, cachedInputTokens: 400, ...costs });
    expect(model.isPriced).toBe(cost !== undefined);

    const results = toToolResultsMessage(answer.toolCalls.map((call) => ({ call, text: 'the file', isError: false })));
    const messages = JSON.parse(JSON.stringify([...question.messages, ...answer.messages, results]));
    await model.generate({ ...question, messages });
    expect(JSON.stringify(asked[1]?.body)).toContain('the file');
  });

  it('enables the prompt cache of a provider that needs a setting for it', async () => {
    const { url, asked } = await startFakeModelServer(() => ({ body: buildMessagesResponse(said) }));
    const models = buildModels({ kind: 'anthropic', model: 'claude-sonnet-4-5', baseUrl: url, apiKey: key });
    await (await models.forOrg('acme')).generate(question);
    expect(asked[0]?.body).toMatchObject({ cache_control: { type: 'ephemeral' } });
  });

  it('uses the price of the org and the model of the AgentRole', async () => {
    const { url, asked } = await startFakeModelServer(() => ({ body: buildChatCompletion(said) }));
    const own = { model: 'tiny', inputPerMillion: 1, outputPerMillion: 2, currency: 'USD' as const };
    const models = buildModels({ kind: 'openai', model: 'gpt-4o', baseUrl: url, apiKey: key }, { prices: [own] });
    const { usage } = await (await models.forOrg('acme', 'tiny')).generate(question);
    expect(usage.costMicroUsd).toBe(1000 + 22);
    expect(asked[0]?.body['model']).toBe('tiny');
  });

  it('throws forbidden when neither the org nor the installation has a provider', async () => {
    await expect(buildModels(undefined).forOrg('acme')).rejects.toMatchObject({ code: 'forbidden' });
    expect(await buildModels(undefined).listOffered('acme')).toEqual([]);
  });

  it('does not follow a redirect, because it would receive the key', async () => {
    const { url, asked } = await startFakeModelServer(({ path }) =>
      path === '/v1/messages'
        ? { status: 307, headers: { location: '/elsewhere' }, body: '' }
        : { body: buildMessagesResponse(said) },
    );
    const provider: ModelProvider = { kind: 'anthropic', model: 'm', baseUrl: `${url}/v1`, apiKey: key };
    await expect((await buildModels(provider).forOrg('acme')).generate(question)).rejects.toMatchObject({
      code: 'unavailable',
    });
    expect(asked.map(({ path }) => path)).toEqual(['/v1/messages']);
  });

  it('refuses a stored base URL inside the network at each request, which an ordinary dispatcher would reach', async () => {
    const { url, asked } = await startFakeModelServer(() => ({ body: buildMessagesResponse(said) }));
    const provider: ModelProvider = { kind: 'anthropic', model: 'm', baseUrl: url, apiKey: key };
    const refused = { reason: 'destination-not-allowed', code: 'invalid', errors: [{ pointer: '/baseUrl' }] };
    const models = buildModels(provider, { judged: createTestDispatcher() });
    await expect((await models.forOrg('acme')).generate(question)).rejects.toMatchObject(refused);
    await expect(models.listOffered('acme')).rejects.toMatchObject({ code: 'unavailable' });
    expect(asked).toEqual([]);
    const open = new Agent();
    await (await buildModels(provider, { judged: open }).forOrg('acme')).generate(question);
    expect(asked).toHaveLength(1);
    await open.destroy();
  });

  it('sends no key unencrypted to a public address', async () => {
    const judge = (destination: ResolvedDestination) => destinationViolation([], destination);
    const judged = judgedDispatcher(judge, async () => ['93.184.216.34']);
    const provider: ModelProvider = { kind: 'openai', model: 'm', baseUrl: 'http://models.example.com', apiKey: key };
    const model = await buildModels(provider, { judged }).forOrg('acme');
    const error = { errors: [{ pointer: '/baseUrl', detail: expect.stringContaining('Use https.') }] };
    await expect(model.generate(question)).rejects.toMatchObject(error);
  });

  it('limits the retry delay of the provider to one hour', async () => {
    const reply = {
      status: 529,
      headers: { 'retry-after': '864000' },
      body: { type: 'error', error: { message: 'x' } },
    };
    const { url } = await startFakeModelServer(() => reply);
    const model = await buildModels({ kind: 'anthropic', model: 'm', baseUrl: url, apiKey: key }).forOrg('acme');
    await expect(model.generate(question)).rejects.toMatchObject({ code: 'unavailable', retryAfterMs: 3_600_000 });
  });
});

describe('listOffered', () => {
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
  it.each(listings)('lists models with their prices, %#', async (providerAt, path, body) => {
    const { url, asked } = await startFakeModelServer(() => ({ body }));
    const provider = providerAt(url);
    const offered = await buildModels(provider).listOffered('acme');
    expect(asked).toMatchObject([{ method: 'GET', path }]);
    expect(offered).toHaveLength(2);
    expect(offered.filter(({ isDefault }) => isDefault).map(({ model }) => model)).toEqual([provider.model]);
    const known = offered.filter(({ price }) => price?.source === 'built-in' && price.outputPerMillion > 0);
    expect(known).toHaveLength({ 'openai-compatible': 0, bedrock: 1 }[provider.kind as string] ?? 2);
  });

  it('throws unavailable without the response body when the provider fails', async () => {
    const { url } = await startFakeModelServer(() => ({ status: 404, body: 'instance-secret' }));
    const listing = buildModels({ kind: 'openai-compatible', model: 'm', baseUrl: url, apiKey: key }).listOffered(
      'acme',
    );
    const error: unknown = await listing.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'unavailable' });
    expect(String(error)).not.toMatch(/instance-secret|sk-of/);
  });
});

describe('verifyProvider', () => {
  const verify = async (status: number, toProvider: (url: string) => ModelProvider) => {
    const { url } = await startFakeModelServer(() => ({ status, body: {} }));
    return await buildModels(undefined)
      .verifyProvider(toProvider(url))
      .catch((thrown: unknown) => thrown);
  };
  const openai = (url: string): ModelProvider => ({ kind: 'openai', model: 'gpt-4o', baseUrl: url, apiKey: key });
  const bedrock = (url: string): ModelProvider => ({
    kind: 'bedrock',
    model: 'amazon.nova-pro-v1:0',
    baseUrl: url,
    region: 'eu-central-1',
    accessKeyId: 'AKIDEXAMPLE',
    secretAccessKey: key,
  });

  it.each([
    ['the key', openai, '/apiKey'],
    ['the last of two keys', bedrock, '/secretAccessKey'],
  ])('points at %s that the provider rejects', async (_, toProvider, pointer) => {
    expect(await verify(401, toProvider)).toMatchObject({ reason: 'model-setting-invalid', errors: [{ pointer }] });
  });

  it('blames no setting for a provider that is overloaded', async () => {
    const error = await verify(503, openai);
    expect(error).toMatchObject({ code: 'unavailable', errors: [] });
    expect(error).not.toMatchObject({ reason: 'model-setting-invalid' });
  });
});
