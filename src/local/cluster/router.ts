import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  STATUS_CODES,
  type ServerResponse,
  createServer,
  request as forward,
} from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { type Gate, servicePath, withoutVisit } from './gate.ts';
import type { Instance } from './instance.ts';

/** Who serves a host name: a process or nobody at the moment, and the zone that must be asked first. */
export type Destination = { next(): Instance | undefined; gated?: { gate: Gate; zone: string } };
export type Route = (host: string) => Destination | undefined;

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

type Refusal = { status: number; line: string; text: string; location?: string };

/** Why a request must not go on to a zone, if so. */
async function refusalAt(route: Route, request: IncomingMessage): Promise<Refusal | undefined> {
  const gated = route(hostOf(request))?.gated;
  if (!gated) return undefined;
  const admission = await gated.gate.admit(request, gated.zone);
  if (admission.outcome === 'in') return undefined;
  if (admission.outcome === 'sign-in')
    return { status: 302, line: 'Found', text: 'Sign in to open this environment.', location: admission.url };
  return { status: admission.status, line: STATUS_CODES[admission.status] ?? '', text: admission.text };
}

const hostOf = ({ headers }: IncomingMessage): string => (headers.host ?? '').replace(/:\d+$/, '').toLowerCase();

const triesMax = 5;

const refusals = {
  'no-zone': { status: 404, line: 'Not Found', text: 'No environment has this address.' },
  'nothing-runs': { status: 503, line: 'Service Unavailable', text: 'Nothing runs in this environment at the moment.' },
};

async function handle(route: Route, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const gated = route(hostOf(request))?.gated;
  if (gated && request.url?.startsWith(servicePath)) return gated.gate.pass(request, response);
  const refusal = await refusalAt(route, request);
  if (refusal) return answer(response, refusal);
  const reached = await reach(route, request, response);
  if (typeof reached === 'string') return answer(response, refusals[reached]);
  const { line } = reached;
  const headers = { ...endToEnd(withoutVisit(request.headers)), ...forwardedFor(request) };
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
  const refusal = await refusalAt(route, request);
  const reached = refusal ?? (await reach(route, request, socket));
  if (typeof reached === 'string' || 'status' in reached) {
    const { status, line: reason } = typeof reached === 'string' ? refusals[reached] : reached;
    return void socket.end(`HTTP/1.1 ${status} ${reason}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
  }
  const { line } = reached;
  const headers = Object.entries(withoutVisit(request.headers)).flatMap(([name, value]) =>
    [value ?? []].flat().map((one) => `${name}: ${one}`),
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
  const host = hostOf(request);
  const left = new AbortController();
  visitor.once('close', () => left.abort());
  for (let tries = 0; tries < triesMax; tries += 1) {
    const destination = route(host);
    if (destination === undefined) return 'no-zone';
    const instance = destination.next();
    if (instance === undefined) return 'nothing-runs';
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

function answer(
  response: ServerResponse,
  { status, text, location }: { status: number; text: string; location?: string },
): void {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    ...(status >= 500 ? { 'retry-after': '1' } : {}),
    ...(location === undefined ? {} : { location }),
  });
  response.end(`${text}\n`);
}
