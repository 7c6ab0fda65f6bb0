import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export type Asked = { method: string; path: string; headers: IncomingHttpHeaders; body: Record<string, unknown> };
export type Reply = { status?: number; headers?: Record<string, string>; body: unknown; afterMs?: number };

/** A server in a model provider's place; it answers what the test says, and what it was asked can be read. */
export async function startAnyProvider(reply: (asked: Asked) => Reply): Promise<{ url: string; asked: Asked[] }> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      const one: Asked = { method, path, headers, body: text === '' ? {} : JSON.parse(text) };
      asked.push(one);
      const { status = 200, headers: more = {}, body, afterMs = 0 } = reply(one);
      const send = (): unknown =>
        response
          .writeHead(status, { 'content-type': 'application/json', ...more })
          .end(typeof body === 'string' ? body : JSON.stringify(body));
      setTimeout(send, afterMs);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close().closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

export type Said = { text?: string; calls?: { id: string; name: string; arguments: string }[]; cached?: number };

/** An answer of 11 tokens to a question of 1,000, in the words of the chat completions protocol. */
export function chatCompletion({ text, calls, cached }: Said): object {
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

/** The same in the words of the messages protocol, where the cached tokens are counted apart. */
export function messageAnswer({ text, calls = [], cached = 0 }: Said): object {
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
