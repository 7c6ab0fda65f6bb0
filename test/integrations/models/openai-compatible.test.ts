import { expect, it } from 'vitest';
import { createModels } from '../../../src/integrations/models/create-models.ts';
import { toolResultsMessage, type Model, type Question } from '../../../src/integrations/models/models.ts';
import { type Reply, startAnyProvider } from '../../support/any-provider.ts';

const key = 'sk-very-secret';

/** The installation's model. */
async function modelAt(baseUrl: string): Promise<Model> {
  const installation = { kind: 'openai-compatible' as const, baseUrl, model: 'm', apiKey: key };
  const models = createModels({ providerOf: async () => undefined, pricesOf: async () => [], installation });
  return await models.forOrg('acme');
}

/** A provider that gives one answer, whatever is asked. */
async function provider(reply: Reply) {
  const { url, asked } = await startAnyProvider(() => reply);
  return { asked, model: await modelAt(`${url}/v1`) };
}

const parameters = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
const question: Question = {
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

it('asks with the tools and the conversation, and answers with calls and tokens', async () => {
  const { model, asked } = await provider({
    body: completion({ content: 'Reading.', tool_calls: [toolCall('c1', 'read_file', '{"path":"a"}')] }),
  });
  const answer = await model.answer(question);
  expect(answer).toMatchObject({ text: 'Reading.', usage: { inputTokens: 11, outputTokens: 7 } });
  expect(answer.toolCalls).toEqual([{ id: 'c1', name: 'read_file', input: { path: 'a' } }]);
  const results = toolResultsMessage(answer.toolCalls.map((call) => ({ call, text: 'the file', isError: false })));
  await model.answer({
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

it('hands on calls that make no sense with what is wrong, and an answer without words', async () => {
  const calls = [
    toolCall('c1', 'read_file', '{"path": broken'),
    toolCall('c2', 'launch', '{}'),
    toolCall('c3', 'read_file', '{"other":1}'),
  ];
  const { model } = await provider({ body: completion({ content: null, tool_calls: calls }) });
  const { toolCalls, messages } = await model.answer(question);
  expect(toolCalls.map(({ problem }) => problem !== undefined)).toEqual([true, true, false]);
  expect(messages).toHaveLength(1);
  const silent = await provider({ body: completion({ content: '' }) });
  expect((await silent.model.answer(question)).messages).toEqual([{ role: 'assistant', content: '(no answer)' }]);
});

it.each([
  [401, 'forbidden', 'MODEL_API_KEY'],
  [403, 'forbidden', 'MODEL_API_KEY'],
  [400, 'invalid', 'MODEL_NAME'],
  [404, 'invalid', 'MODEL_BASE_URL'],
  [429, 'unavailable', '429'],
  [500, 'unavailable', '500'],
  [529, 'unavailable', '529'],
])('%i is %s, and the key is not told', async (status, code, text) => {
  const { model, asked } = await provider({ status, body: { error: { message: `bad key ${key}`, type: 'x' } } });
  const error = await model.answer(question).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code });
  expect(String(error)).toContain(text);
  expect(JSON.stringify(error, Object.getOwnPropertyNames(error)) + String(error)).not.toContain(key);
  expect(asked).toHaveLength(1);
});

it('says when the provider wants to be asked again', async () => {
  const { model } = await provider({ status: 429, headers: { 'retry-after': '7' }, body: {} });
  await expect(model.answer(question)).rejects.toMatchObject({ retryAfterMs: 7000 });
  const precise = await provider({ status: 503, headers: { 'retry-after-ms': '250' }, body: {} });
  await expect(precise.model.answer(question)).rejects.toMatchObject({ retryAfterMs: 250 });
});

it('takes rubbish and a closed port for something that may pass', async () => {
  const { model } = await provider({ body: '<html>gateway</html>' });
  await expect(model.answer(question)).rejects.toMatchObject({ code: 'unavailable' });
  const closed = await modelAt('http://127.0.0.1:9/v1');
  await expect(closed.answer(question)).rejects.toMatchObject({ code: 'unavailable' });
});

it('stops asking when told to', async () => {
  const { model } = await provider({ body: completion({ content: 'late' }), afterMs: 5000 });
  const stop = new AbortController();
  const answer = model.answer({ ...question, signal: stop.signal });
  stop.abort(new Error('cancelled'));
  await expect(answer).rejects.toThrow('cancelled');
});
