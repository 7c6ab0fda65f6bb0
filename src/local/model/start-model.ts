import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chooseTurn, type ChatMessage } from './choose-turn.ts';
import { completion, streamed } from './completion.ts';
import type { Example } from './example.ts';
import { sampleExamples } from './examples/index.ts';

export type ModelOptions = {
  port: number;
  examples?: Example[];
  /** One line per question. */
  log?: (line: string) => void;
};

type ChatRequest = { model?: string; messages?: ChatMessage[]; stream?: boolean };

const modelName = 'rehearsal';
const bodyBytesMax = 64 * 1024 * 1024;

/** An OpenAI-compatible endpoint that asks no model: it replays worked examples, and says so in every answer. */
export async function startModel({
  port,
  examples = sampleExamples,
  log,
}: ModelOptions): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    answer(request, response, { examples, log }).catch((error: unknown) => {
      refuse(response, 500, error instanceof Error ? error.message : 'The rehearsal failed.');
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  const { port: taken } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${taken}/v1`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Rehearsal = { examples: Example[]; log: ModelOptions['log'] };

async function answer(request: IncomingMessage, response: ServerResponse, { examples, log }: Rehearsal): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost');
  if (request.method === 'GET' && pathname === '/v1/models') {
    const model = { id: modelName, object: 'model', created: 0, owned_by: 'delivery-platform' };
    return send(response, 200, { object: 'list', data: [model] });
  }
  if (request.method !== 'POST' || pathname !== '/v1/chat/completions') {
    return refuse(response, 404, `Unknown request URL: ${request.method} ${pathname}.`);
  }
  await complete(request, response, { examples, log });
}

async function complete(
  request: IncomingMessage,
  response: ServerResponse,
  { examples, log }: Rehearsal,
): Promise<void> {
  const asked = await bodyOf(request);
  const chat = parsed(asked);
  if (!chat?.messages) return refuse(response, 400, 'The body must be JSON with "messages".');
  const turn = chooseTurn(chat.messages, examples);
  log?.(`asked with ${chat.messages.length} messages: ${turn.says}`);
  const answered = completion(chat.model ?? modelName, asked, turn);
  if (!chat.stream) return send(response, 200, answered);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(streamed(answered));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bodyBytesMax) throw new Error('The conversation is too long.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function parsed(body: string): ChatRequest | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null && Array.isArray((value as ChatRequest).messages)
      ? (value as ChatRequest)
      : undefined;
  } catch {
    return undefined;
  }
}

function refuse(response: ServerResponse, status: number, message: string): void {
  send(response, status, { error: { message, type: 'invalid_request_error', param: null, code: null } });
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
