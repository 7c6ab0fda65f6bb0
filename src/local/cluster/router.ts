import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
  createServer,
  request as forward,
} from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { Instance } from './instance.ts';

/** Finds who serves a host name: a process, nobody at the moment, or nobody at all. */
export type Route = (host: string) => Instance | 'nothing-runs' | undefined;

/** Sends each request to the zone whose host name it carries. */
export function createRouter(route: Route): Server {
  const server = createServer((request, response) => {
    handle(route, request, response).catch(() => response.destroy());
  });
  server.on('upgrade', (request, socket: Socket, head) => {
    upgrade(route, request, { socket, head }).catch(() => socket.destroy());
  });
  return server;
}

const triesMax = 5;

const refusals = {
  'no-zone': { status: 404, line: 'Not Found', text: 'No environment has this address.' },
  'nothing-runs': { status: 503, line: 'Service Unavailable', text: 'Nothing runs in this environment at the moment.' },
};

async function handle(route: Route, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const reached = await reach(route, request, response);
  if (typeof reached === 'string') return answer(response, refusals[reached]);
  const { line } = reached;
  const headers = { ...endToEnd(request.headers), ...forwardedFor(request) };
  const sending = forward({
    createConnection: () => line,
    method: request.method,
    path: request.url,
    headers,
    setHost: false,
  });
  sending.on('response', (answered) => {
    response.writeHead(answered.statusCode ?? 502, answered.statusMessage, endToEnd(answered.headers));
    answered.pipe(response);
    answered.on('error', () => response.destroy());
  });
  sending.on('error', () => {
    if (response.headersSent) response.destroy();
    else answer(response, { status: 502, text: 'The environment did not answer.' });
  });
  response.once('close', () => line.destroy());
  // An app may answer by the headers alone, while the body is still being written.
  sending.flushHeaders();
  request.pipe(sending);
}

async function upgrade(
  route: Route,
  request: IncomingMessage,
  { socket, head }: { socket: Socket; head: Buffer },
): Promise<void> {
  socket.on('error', () => socket.destroy());
  const reached = await reach(route, request, socket);
  if (typeof reached === 'string') {
    const { status, line: reason } = refusals[reached];
    return void socket.end(`HTTP/1.1 ${status} ${reason}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
  }
  const { line } = reached;
  const { rawHeaders } = request;
  const headers = Array.from(
    { length: rawHeaders.length / 2 },
    (_, at) => `${rawHeaders[2 * at]}: ${rawHeaders[2 * at + 1]}`,
  );
  line.on('error', () => socket.destroy());
  line.on('close', () => socket.destroy());
  socket.on('close', () => line.destroy());
  line.write([`${request.method} ${request.url} HTTP/1.1`, ...headers, '', ''].join('\r\n'));
  line.write(head);
  line.pipe(socket).pipe(line);
}

/**
 * A line to a process that serves the asked host. A process that went away before anything was sent is no answer: the
 * next one is asked.
 */
async function reach(
  route: Route,
  request: IncomingMessage,
  visitor: ServerResponse | Socket,
): Promise<{ line: Socket } | keyof typeof refusals> {
  const host = (request.headers.host ?? '').replace(/:\d+$/, '').toLowerCase();
  const left = new AbortController();
  visitor.once('close', () => left.abort());
  for (let tries = 0; tries < triesMax; tries += 1) {
    const instance = route(host);
    if (instance === undefined) return 'no-zone';
    if (instance === 'nothing-runs') return 'nothing-runs';
    // Counted before anything waits, so that a replaced process does not end under a request that was routed to it.
    instance.openRequests += 1;
    let counted = true;
    const release = (): void => {
      if (counted) instance.openRequests -= 1;
      counted = false;
    };
    try {
      const line = await instance.open(left.signal);
      if (left.signal.aborted) {
        line.destroy();
        throw new Error('The visitor left.');
      }
      visitor.once('close', release);
      return { line };
    } catch (error) {
      release();
      if (left.signal.aborted) throw error;
      // Its end is still being noticed.
      await setImmediate();
    }
  }
  return 'nothing-runs';
}

const hopByHop = ['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'upgrade'];

/** The headers that concern more than one connection. */
function endToEnd(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  const named = (headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase());
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !hopByHop.includes(name) && !named.includes(name)),
  );
}

const forwardedFor = ({ headers, socket }: IncomingMessage): OutgoingHttpHeaders => ({
  'x-forwarded-for': socket.remoteAddress ?? '',
  'x-forwarded-proto': 'http',
  'x-forwarded-host': headers.host ?? '',
});

function answer(response: ServerResponse, { status, text }: { status: number; text: string }): void {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    ...(status === 404 ? {} : { 'retry-after': '1' }),
  });
  response.end(`${text}\n`);
}
