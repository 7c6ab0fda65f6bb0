import { expect, it } from 'vitest';
import { createModels } from '../../../src/integrations/models/create-models.ts';
import { toToolResultsMessage, type Model, type ModelRequest } from '../../../src/integrations/models/models.ts';
import { createTestDispatcher } from '../../support/servers/test-dispatcher.ts';
import { type ModelReply, startFakeModelServer } from '../../support/changes/fake-model-server.ts';

const key = 'sk-very-secret';

/** Opens the model of the default provider. */
async function modelAt(baseUrl: string): Promise<Model> {
  const installation = { kind: 'openai-compatible' as const, baseUrl, model: 'm', apiKey: key };
  const models = createModels({
    findProvider: async () => undefined,
    listPrices: async () => [],
    judged: createTestDispatcher(),
    defaultProvider: installation,
  });
  return await models.forOrg('acme');
}

/** Starts a provider that always returns the same response. */
async function provider(reply: ModelReply) {
  const { url, asked } = await startFakeModelServer(() => reply);
  return { asked, model: await modelAt(`${url}/v1`) };
}

const parameters = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
const question: ModelRequest = {
  system: 'Be brief.',
  messages: [{ role: 'user', content: 'Go.' }],
  tools: [{ name: 'read_file', description: 'Reads.', parameters }],
};

function completion(message: object): object {
  const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };
  return {
    id: '1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    usage,
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', ...message } }],
  };
}

const toolCall = (id: string, name: string, args: string) => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});

it('sends tools and messages, and returns tool calls and token counts', async () => {
  const { model, asked } = await provider({
    body: completion({ content: 'Reading.', tool_calls: [toolCall('c1', 'read_file', '{"path":"a"}')] }),
  });
  const answer = await model.generate(question);
  expect(answer).toMatchObject({ text: 'Reading.', usage: { inputTokens: 11, outputTokens: 7 } });
  expect(answer.toolCalls).toEqual([{ id: 'c1', name: 'read_file', input: { path: 'a' } }]);
  const results = toToolResultsMessage(answer.toolCalls.map((call) => ({ call, text: 'the file', isError: false })));
  await model.generate({
    ...question,
    messages: JSON.parse(JSON.stringify([...question.messages, ...answer.messages, results])),
  });
  expect(asked[1]?.headers['authorization']).toBe(`Bearer ${key}`);
  expect(asked[1]?.body['messages']).toMatchObject([
    { role: 'system' },
    { role: 'user' },
    { role: 'assistant' },
    { role: 'tool', content: 'the file', tool_call_id: 'c1' },
  ]);
  expect(asked[1]?.body['tools']).toMatchObject([
    { function: { name: 'read_file', parameters: { required: ['path'] } } },
  ]);
});

it('sends no half of a surrogate pair, which providers reject in every later request', async () => {
  const { model, asked } = await provider({ body: completion({ content: 'OK.' }) });
  const call = { id: 'c1', name: 'read_file', input: { path: 'a' } };
  const messages: ModelRequest['messages'] = [
    { role: 'user', content: 'Cut: \ud83d' },
    {
      role: 'assistant',
      content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'read_file', input: { path: '\ud83d' } }],
    },
    toToolResultsMessage([{ call, text: `whole 😀, cut \ude00`, isError: false }]),
  ];
  await model.generate({ ...question, system: 'Be \ud83d.', messages });
  const sent = JSON.stringify(asked[0]?.body);
  expect(sent).not.toMatch(/\\ud[89a-f]/i);
  expect(sent).toContain('whole 😀, cut \ufffd');
});

it('sends no text of white space back, which providers reject in every later request', async () => {
  const calls = [toolCall('c1', 'read_file', '{"path":"a"}')];
  const calling = await provider({ body: completion({ content: '\n\n', tool_calls: calls }) });
  const { messages } = await calling.model.generate(question);
  expect(messages).toMatchObject([{ role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c1' }] }]);
  for (const message of [{ content: '\n\n' }, { content: ' ', reasoning_content: 'I am done.' }]) {
    const silent = await provider({ body: completion(message) });
    expect((await silent.model.generate(question)).messages).toEqual([{ role: 'assistant', content: '(no answer)' }]);
  }
});

it('returns malformed tool calls with their error, and replaces an empty message', async () => {
  const calls = [
    toolCall('c1', 'read_file', '{"path": broken'),
    toolCall('c2', 'launch', '{}'),
    toolCall('c3', 'read_file', '{"other":1}'),
  ];
  const { model } = await provider({ body: completion({ content: null, tool_calls: calls }) });
  const { toolCalls, messages } = await model.generate(question);
  expect(toolCalls.map(({ error }) => error !== undefined)).toEqual([true, true, false]);
  expect(messages).toHaveLength(1);
  const silent = await provider({ body: completion({ content: '' }) });
  expect((await silent.model.generate(question)).messages).toEqual([{ role: 'assistant', content: '(no answer)' }]);
});

it.each([
  [401, 'forbidden', 'MODEL_API_KEY'],
  [403, 'forbidden', 'MODEL_API_KEY'],
  [400, 'invalid', 'MODEL_NAME'],
  [404, 'invalid', 'MODEL_BASE_URL'],
  [429, 'unavailable', '429'],
  [500, 'unavailable', '500'],
  [529, 'unavailable', '529'],
])('%i: throws %s without the key', async (status, code, text) => {
  const { model, asked } = await provider({ status, body: { error: { message: `bad key ${key}`, type: 'x' } } });
  const error = await model.generate(question).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code });
  expect(String(error)).toContain(text);
  expect(JSON.stringify(error, Object.getOwnPropertyNames(error)) + String(error)).not.toContain(key);
  expect(asked).toHaveLength(1);
});

it('returns the retry delay of the provider', async () => {
  const { model } = await provider({ status: 429, headers: { 'retry-after': '7' }, body: {} });
  await expect(model.generate(question)).rejects.toMatchObject({ retryAfterMs: 7000 });
  const precise = await provider({ status: 503, headers: { 'retry-after-ms': '250' }, body: {} });
  await expect(precise.model.generate(question)).rejects.toMatchObject({ retryAfterMs: 250 });
});

it('throws unavailable for an invalid response and a closed port', async () => {
  const { model } = await provider({ body: '<html>gateway</html>' });
  await expect(model.generate(question)).rejects.toMatchObject({ code: 'unavailable' });
  const closed = await modelAt('http://127.0.0.1:9/v1');
  await expect(closed.generate(question)).rejects.toMatchObject({ code: 'unavailable' });
});

it('tells no org the address of the model of the installation', async () => {
  const closed = await modelAt('http://127.0.0.1:9/v1');
  await expect(closed.generate(question)).rejects.toThrow(
    'The model "m" at MODEL_BASE_URL cannot be reached. Check MODEL_BASE_URL.',
  );
  for (const reply of [{ status: 500 }, { status: 404 }, { status: 401 }, { body: 'no JSON' }]) {
    const { model } = await provider({ body: {}, ...reply });
    await expect(model.generate(question)).rejects.toThrow(/^The model "m" at MODEL_BASE_URL [^:]*$/);
  }
});

it('stops on abort', async () => {
  const { model } = await provider({ body: completion({ content: 'late' }), delayMs: 5000 });
  const stop = new AbortController();
  const answer = model.generate({ ...question, signal: stop.signal });
  stop.abort(new Error('cancelled'));
  await expect(answer).rejects.toThrow('cancelled');
});
