import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chooseTurn, type ChatMessage } from './choose-turn.ts';
import { createCompletion, toEventStream } from './completion.ts';
import type { Scenario } from './scenario.ts';
import { sampleScenarios } from './scenarios/index.ts';

export type ModelOptions = {
  port: number;
  scenarios?: Scenario[];
  /** Called with one line per request. */
  log?: (line: string) => void;
};

type ChatRequest = { model?: string; messages?: ChatMessage[]; stream?: boolean };

const modelName = 'scripted';
const bodyBytesMax = 64 * 1024 * 1024;

/** Starts an OpenAI-compatible endpoint without a model: it replays scenarios and marks every response as scripted. */
export async function startModel({
  port,
  scenarios = sampleScenarios,
  log,
}: ModelOptions): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    handleRequest(request, response, { scenarios, log }).catch((error: unknown) => {
      sendError(response, 500, error instanceof Error ? error.message : 'The scripted model failed.');
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  const { port: boundPort } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${boundPort}/v1`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type ReplayOptions = { scenarios: Scenario[]; log: ModelOptions['log'] };

async function handleRequest(
  request: IncomingMessage,
  response: ServerResponse,
  { scenarios, log }: ReplayOptions,
): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost');
  if (request.method === 'GET' && pathname === '/v1/models') {
    const model = { id: modelName, object: 'model', created: 0, owned_by: 'delivery-platform' };
    return sendJson(response, 200, { object: 'list', data: [model] });
  }
  if (request.method !== 'POST' || pathname !== '/v1/chat/completions') {
    return sendError(response, 404, `Unknown request URL: ${request.method} ${pathname}.`);
  }
  await handleCompletion(request, response, { scenarios, log });
}

async function handleCompletion(
  request: IncomingMessage,
  response: ServerResponse,
  { scenarios, log }: ReplayOptions,
): Promise<void> {
  const body = await readBody(request);
  const chat = parseChatRequest(body);
  if (!chat?.messages) return sendError(response, 400, 'The body must be JSON with "messages".');
  const turn = chooseTurn(chat.messages, scenarios);
  log?.(`${chat.messages.length} messages: ${turn.content}`);
  const completion = createCompletion(chat.model ?? modelName, body, turn);
  if (!chat.stream) return sendJson(response, 200, completion);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(toEventStream(completion));
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bodyBytesMax) throw new Error('The conversation is too long.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function parseChatRequest(body: string): ChatRequest | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null && Array.isArray((value as ChatRequest).messages)
      ? (value as ChatRequest)
      : undefined;
  } catch {
    return undefined;
  }
}

function sendError(response: ServerResponse, status: number, message: string): void {
  sendJson(response, status, { error: { message, type: 'invalid_request_error', param: null, code: null } });
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
