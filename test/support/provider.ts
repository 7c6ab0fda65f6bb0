import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { createModels } from '../../src/integrations/models/create-models.ts';
import type { Models } from '../../src/integrations/models/models.ts';

type ToolCall = { id: string; type: 'function'; function: { name: string; arguments: string } };
type ChatMessage = { role: string; content?: unknown; tool_calls?: ToolCall[]; tool_call_id?: string };
export type Asked = { at: number; messages: ChatMessage[] };

/** What a provider does with one question. */
export type Reply = (response: ServerResponse, asked: Asked) => void | Promise<void>;

export const toolCall = (name: string, input: unknown = {}, id = `call_${Math.random()}`): ToolCall => ({
  id,
  type: 'function',
  function: { name, arguments: typeof input === 'string' ? input : JSON.stringify(input) },
});

const completion = (message: object): string =>
  JSON.stringify({
    id: '1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 },
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: null, ...message } }],
  });
const whole = { 'content-type': 'application/json' };

export const says =
  (message: object): Reply =>
  (response) =>
    void response.writeHead(200, whole).end(completion(message));
export const calls = (...toolCalls: ToolCall[]): Reply => says({ content: 'So.', tool_calls: toolCalls });
export const refuses =
  (status: number, headers: Record<string, string> = {}): Reply =>
  (response) =>
    void response.writeHead(status, { ...whole, ...headers }).end(JSON.stringify({ error: { message: 'No.' } }));
/** Promises a whole answer and breaks the connection in the middle of it. */
export const cuts: Reply = (response) => {
  const text = completion({ content: 'So it is, as far as', tool_calls: [toolCall('list_files')] });
  response.writeHead(200, { ...whole, 'content-length': String(text.length) });
  response.write(text.slice(0, 200), () => response.destroy());
};
/** Sends a little, and then nothing for ever. */
export const stalls: Reply = (response) => void response.writeHead(200, whole).write('{"id": "1", ');
/** Sends for as long as anybody listens. */
export const floods: Reply = (response) => {
  response.writeHead(200, whole);
  const more = (): void => {
    while (!response.destroyed && response.write('x'.repeat(65_536)));
  };
  response.on('drain', more);
  more();
};

/** A provider that answers the n-th question by the n-th reply, and from then on by the last. */
export async function startProvider(...replies: Reply[]): Promise<{
  asked: Asked[];
  models: Models;
  modelsWith: (options: { answerTimeoutMs: number }) => Models;
}> {
  const asked: Asked[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { messages } = JSON.parse(await textOf(request)) as { messages: ChatMessage[] };
    const problem = problemOf(messages);
    const question = { at: Date.now(), messages };
    asked.push(question);
    if (problem) return void response.writeHead(400, whole).end(JSON.stringify({ error: { message: problem } }));
    await (replies[asked.length - 1] ?? replies.at(-1))?.(response, question);
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => server.close().closeAllConnections());
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const installation = { kind: 'openai-compatible' as const, baseUrl, model: 'm', apiKey: 'sk-provider-key' };
  const modelsWith = (options: object): Models =>
    createModels({ providerOf: async () => undefined, pricesOf: async () => [], installation, ...options });
  return { asked, models: modelsWith({}), modelsWith };
}

/** What real providers refuse a conversation for. */
function problemOf(messages: ChatMessage[]): string | undefined {
  const made = messages.flatMap(({ tool_calls: all = [] }) => all);
  const unfit = made.find((call) => !/^[A-Za-z0-9_-]{1,64}$/.test(call.function.name));
  if (unfit) return `Invalid tool name ${unfit.function.name}`;
  for (const { function: called } of made)
    if (typeof JSON.parse(called.arguments) !== 'object') return 'Arguments are not an object';
  const ids = made.map(({ id }) => id);
  if (new Set(ids).size !== ids.length || ids.includes('')) return 'Two tool calls have one id';
  const answered = new Set(messages.map(({ tool_call_id: id }) => id));
  const open = ids.find((id) => !answered.has(id));
  return open && `The tool call ${open} has no result`;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks = await Array.fromAsync(request as AsyncIterable<Buffer>);
  return Buffer.concat(chunks).toString();
}
