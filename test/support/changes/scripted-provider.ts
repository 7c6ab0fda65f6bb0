import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { createModels } from '../../../src/integrations/models/create-models.ts';
import type { Models } from '../../../src/integrations/models/models.ts';
import { createTestDispatcher } from '../servers/test-dispatcher.ts';

type ToolCall = { id: string; type: 'function'; function: { name: string; arguments: string } };
type ChatMessage = { role: string; content?: unknown; tool_calls?: ToolCall[]; tool_call_id?: string };
export type ScriptedRequest = { at: number; messages: ChatMessage[] };

/** Replies to one request. */
export type ScriptedReply = (response: ServerResponse, asked: ScriptedRequest) => void | Promise<void>;

export const buildToolCall = (name: string, input: unknown = {}, id = `call_${Math.random()}`): ToolCall => ({
  id,
  type: 'function',
  function: { name, arguments: typeof input === 'string' ? input : JSON.stringify(input) },
});

const buildCompletion = (message: object): string =>
  JSON.stringify({
    id: '1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 },
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: null, ...message } }],
  });
const jsonHeaders = { 'content-type': 'application/json' };

export const replyMessage =
  (message: object): ScriptedReply =>
  (response) =>
    void response.writeHead(200, jsonHeaders).end(buildCompletion(message));
export const replyToolCalls = (...toolCalls: ToolCall[]): ScriptedReply =>
  replyMessage({ content: 'So.', tool_calls: toolCalls });
export const replyError =
  (status: number, headers: Record<string, string> = {}): ScriptedReply =>
  (response) =>
    void response.writeHead(status, { ...jsonHeaders, ...headers }).end(JSON.stringify({ error: { message: 'No.' } }));
/** Announces a full response and closes the connection in the middle of it. */
export const replyTruncated: ScriptedReply = (response) => {
  const text = buildCompletion({ content: 'So it is, as far as', tool_calls: [buildToolCall('list_files')] });
  response.writeHead(200, { ...jsonHeaders, 'content-length': String(text.length) });
  response.write(text.slice(0, 200), () => response.destroy());
};
/** Sends the start of a response and never continues. */
export const replyStalled: ScriptedReply = (response) =>
  void response.writeHead(200, jsonHeaders).write('{"id": "1", ');
/** Sends data until the client disconnects. */
export const replyEndless: ScriptedReply = (response) => {
  response.writeHead(200, jsonHeaders);
  const more = (): void => {
    while (!response.destroyed && response.write('x'.repeat(65_536)));
  };
  response.on('drain', more);
  more();
};

/** Starts a provider that sends the n-th reply to the n-th request, and the last reply to all later ones. */
export async function startScriptedProvider(...replies: ScriptedReply[]): Promise<{
  asked: ScriptedRequest[];
  models: Models;
  modelsWith: (options: { responseTimeoutMs: number }) => Models;
}> {
  const asked: ScriptedRequest[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { messages } = JSON.parse(await readBody(request)) as { messages: ChatMessage[] };
    const problem = findViolation(messages);
    const question = { at: Date.now(), messages };
    asked.push(question);
    if (problem) return void response.writeHead(400, jsonHeaders).end(JSON.stringify({ error: { message: problem } }));
    await (replies[asked.length - 1] ?? replies.at(-1))?.(response, question);
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => server.close().closeAllConnections());
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const installation = { kind: 'openai-compatible' as const, baseUrl, model: 'm', apiKey: 'sk-provider-key' };
  const modelsWith = (options: { responseTimeoutMs?: number }): Models =>
    createModels({
      findProvider: async () => undefined,
      listPrices: async () => [],
      judged: createTestDispatcher(),
      defaultProvider: installation,
      ...options,
    });
  return { asked, models: modelsWith({}), modelsWith };
}

/** Checks a conversation for the errors that real providers reject. */
function findViolation(messages: ChatMessage[]): string | undefined {
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

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks = await Array.fromAsync(request as AsyncIterable<Buffer>);
  return Buffer.concat(chunks).toString();
}
