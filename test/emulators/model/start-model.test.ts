import { afterEach, beforeEach, expect, it } from 'vitest';
import { startModel } from '../../../src/emulators/model/start-model.ts';

let model: Awaited<ReturnType<typeof startModel>>;
beforeEach(async () => (model = await startModel({ port: 0 })));
afterEach(async () => await model.close());

async function chat(body: unknown): Promise<Response> {
  return await fetch(`${model.url}/chat/completions`, { method: 'POST', body: JSON.stringify(body) });
}

// The response is inspected untyped, as a client receives it.
// oxlint-disable-next-line typescript/no-explicit-any
const json = async (response: Response): Promise<any> => await response.json();

const conversation = (role: string, title: string) => [
  { role: 'system', content: `You are the AgentRole "${role}".` },
  { role: 'user', content: [{ type: 'text', text: `Issue:\n${title}\n` }] },
];

it('returns the next turn of the matching scenario, marked as scripted', async () => {
  const messages = conversation('implementer', 'Greet visitors by name');
  const first = await json(await chat({ model: 'any', messages }));
  expect(first.choices[0].message.content).toMatch(/^Scripted: /);
  expect(first.choices[0].message.tool_calls[0].function).toEqual({ name: 'list_files', arguments: '{}' });
  expect(first.usage.prompt_tokens).toBeGreaterThan(20);
  const later = [...messages, ...Array.from({ length: 4 }, () => ({ role: 'assistant', content: 'x' }))];
  const last = await json(await chat({ messages: later }));
  expect(JSON.parse(last.choices[0].message.tool_calls[0].function.arguments)).toMatchObject({ outcome: 'done' });
});

it('requests guidance for issues without a scenario', async () => {
  for (const messages of [
    conversation('implementer', 'Rewrite it all'),
    conversation('poet', 'Greet visitors by name'),
    [],
  ]) {
    const { choices } = await json(await chat({ messages }));
    const { outcome, summary } = JSON.parse(choices[0].message.tool_calls[0].function.arguments);
    expect(outcome).toBe('needs-guidance');
    expect(summary).toContain('"Greet visitors by name"');
    expect(summary).toContain('MODEL_API_KEY');
  }
});

it('streams the response as server-sent events', async () => {
  const messages = conversation('implementer', 'Greet visitors by name');
  const response = await chat({ messages, stream: true });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const events = (await response.text())
    .trim()
    .split('\n\n')
    .map((event) => event.replace('data: ', ''));
  expect(events.pop()).toBe('[DONE]');
  const chunks = events.map((event) => JSON.parse(event));
  const content = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
  expect(content).toBe('Scripted: I read the files.');
  expect(chunks.some(({ choices }) => choices[0]?.delta.tool_calls?.[0].function.name === 'list_files')).toBe(true);
  expect(chunks.at(-1).usage.total_tokens).toBeGreaterThan(20);
});

it('lists its model, and rejects unknown requests with the error format of the API', async () => {
  const models = await json(await fetch(`${model.url}/models`));
  expect(models.data.map(({ id }: { id: string }) => id)).toEqual(['scripted']);
  const unknown = await fetch(`${model.url}/embeddings`, { method: 'POST' });
  expect(unknown.status).toBe(404);
  expect((await json(unknown)).error.type).toBe('invalid_request_error');
  expect((await chat('not an object')).status).toBe(400);
});
