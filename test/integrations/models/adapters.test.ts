import { describe, expect, it } from 'vitest';
import { parseModelIds, withoutRedirects } from '../../../src/integrations/models/adapter.ts';
import { loadAdapter } from '../../../src/integrations/models/open-model.ts';
import type { ModelProvider } from '../../../src/rules/agents/model-provider.ts';

const baseUrl = 'https://models.example.com/v1//';
const own: ModelProvider[] = [
  { kind: 'anthropic', model: 'm', apiKey: 'k', baseUrl },
  { kind: 'openai', model: 'm', apiKey: 'k', baseUrl },
  { kind: 'google', model: 'm', apiKey: 'k', baseUrl },
  { kind: 'bedrock', model: 'm', region: 'eu-central-1', accessKeyId: 'a', secretAccessKey: 's', baseUrl },
  { kind: 'openai-compatible', model: 'm', apiKey: 'k', baseUrl },
];
const listRequest = async (provider: ModelProvider) => await (await loadAdapter(provider)).buildListRequest(provider);

describe('an adapter', () => {
  it.each(own)('lists the models of its own base URL: $kind', async (provider) => {
    const { request } = await listRequest(provider);
    expect(request.url).toMatch(/^https:\/\/models\.example\.com\/v1\/(foundation-)?models(\?|$)/);
    expect((await loadAdapter(provider)).getEndpoint(provider)).toBe(baseUrl);
  });

  it.each([
    [{ kind: 'anthropic', model: 'm', apiKey: 'k' }, 'api.anthropic.com'],
    [{ kind: 'openai', model: 'm', apiKey: 'k' }, 'api.openai.com'],
    [{ kind: 'google', model: 'm', apiKey: 'k' }, 'generativelanguage.googleapis.com'],
    [{ kind: 'bedrock', model: 'm', region: 'us-east-1', accessKeyId: 'a', secretAccessKey: 's' }, 'us-east-1'],
  ] as [ModelProvider, string][])('lists the models of its vendor, %#', async (provider, host) => {
    expect((await listRequest(provider)).request.url).toContain(host);
    expect((await loadAdapter(provider)).getEndpoint(provider)).toContain(host);
  });

  it('sends the key of a compatible endpoint only if it has one', async () => {
    const [, , , , compatible] = own;
    const send = async (provider: ModelProvider) => (await listRequest(provider)).request.headers.get('authorization');
    expect(await send(compatible as ModelProvider)).toBe('Bearer k');
    expect(await send({ kind: 'openai-compatible', model: 'm', baseUrl })).toBeNull();
  });
});

it.each([
  [{ data: [{ id: 'a' }, { id: 7 }, null, {}, { id: 'b' }] }, ['a', 'b']],
  [{ data: [] }, []],
])('parses the ids of %j', (body, ids) => {
  expect(parseModelIds(body)).toEqual(ids);
});

it.each([[null], [{}], [{ data: {} }]])('rejects %j, which is no list of models', (body) => {
  expect(() => parseModelIds(body)).toThrow('The response has no list "data".');
});

describe('the list of models', () => {
  const parse = async (at: number, body: unknown) => (await listRequest(own[at] as ModelProvider)).parse(body);

  it('of Google keeps the models that generate text', async () => {
    const models = [
      { name: 'models/gemini', supportedGenerationMethods: ['countTokens', 'generateContent'] },
      { name: 'models/embedder', supportedGenerationMethods: ['embedContent'] },
      { name: 'models/unknown' },
      { name: 7, supportedGenerationMethods: ['generateContent'] },
    ];
    expect(await parse(2, { models })).toEqual(['gemini', 'unknown']);
    expect(await parse(2, {})).toEqual([]);
  });

  it('of Bedrock keeps the models that answer with text', async () => {
    const modelSummaries = [
      { modelId: 'nova', outputModalities: ['IMAGE', 'TEXT'] },
      { modelId: 'painter', outputModalities: ['IMAGE'] },
      { modelId: 'unknown' },
      { modelId: 7, outputModalities: ['TEXT'] },
    ];
    expect(await parse(3, { modelSummaries })).toEqual(['nova', 'unknown']);
    expect(await parse(3, {})).toEqual([]);
  });
});

it('follows no redirect', async () => {
  const inits: unknown[] = [];
  const fetch = withoutRedirects(async (_input, init) => {
    inits.push(init);
    return new Response();
  });
  await fetch('https://models.example.com/', { method: 'POST' });
  expect(inits).toEqual([{ method: 'POST', redirect: 'error' }]);
});
