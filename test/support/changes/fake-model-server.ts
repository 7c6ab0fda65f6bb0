import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export type ModelRequest = {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
};
export type ModelReply = { status?: number; headers?: Record<string, string>; body: unknown; delayMs?: number };

/** Starts a fake model provider that replies as the test defines, and records its requests. */
export async function startFakeModelServer(
  reply: (asked: ModelRequest) => ModelReply,
): Promise<{ url: string; asked: ModelRequest[] }> {
  const asked: ModelRequest[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      const one: ModelRequest = { method, path, headers, body: text === '' ? {} : JSON.parse(text) };
      asked.push(one);
      const { status = 200, headers: more = {}, body, delayMs = 0 } = reply(one);
      const send = (): unknown =>
        response
          .writeHead(status, { 'content-type': 'application/json', ...more })
          .end(typeof body === 'string' ? body : JSON.stringify(body));
      setTimeout(send, delayMs);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close().closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

export type ReplyContent = {
  text?: string;
  calls?: { id: string; name: string; arguments: string }[];
  cached?: number;
};

/** Builds a response of the chat completions protocol with 1,000 input and 11 output tokens. */
export function buildChatCompletion({ text, calls, cached }: ReplyContent): object {
  const toolCalls = calls?.map(({ id, ...call }) => ({ id, type: 'function', function: call }));
  const message = { role: 'assistant', content: text ?? null, ...(toolCalls && { tool_calls: toolCalls }) };
  return {
    id: '1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, finish_reason: 'stop', message }],
    usage: {
      prompt_tokens: 1000,
      completion_tokens: 11,
      total_tokens: 1011,
      ...(cached && { prompt_tokens_details: { cached_tokens: cached } }),
    },
  };
}

/** Builds the same response of the messages protocol, which counts cached tokens separately. */
export function buildMessagesResponse({ text, calls = [], cached = 0 }: ReplyContent): object {
  const uses = calls.map(({ id, name, arguments: input }) => ({
    type: 'tool_use',
    id,
    name,
    input: JSON.parse(input),
  }));
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [...(text === undefined ? [] : [{ type: 'text', text }]), ...uses],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 1000 - cached, cache_read_input_tokens: cached, output_tokens: 11 },
  };
}
