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
import { type ForwardAuth, servicePathPrefix, removeServiceHeaders } from './forward-auth.ts';
import type { Instance } from './instance.ts';

/** The zone behind a host name: its next running process, if any, and the forward auth that a request must pass. */
export type Destination = { nextInstance(): Instance | undefined; forwardAuth?: { auth: ForwardAuth; zone: string } };
export type FindDestination = (host: string) => Destination | undefined;

/** Returns true for a host that a port serves; a page of any other host reached the port by DNS rebinding. */
type IsServedHost = (host: string) => boolean;

/** Routes each request to the zone of its Host header. */
export function createRouter(route: FindDestination, isServed: IsServedHost = () => true): Server {
  const server = createServer((request, response) => {
    if (!isServed(toHostName(request))) return respond(response, rejections.misdirected);
    handleRequest(route, request, response).catch(() => response.destroy());
  });
  server.on('upgrade', (request, socket: Socket, head) => {
    if (!isServed(toHostName(request))) return socket.destroy();
    handleUpgrade(route, request, { socket, head }).catch(() => socket.destroy());
  });
  return server;
}

type Rejection = { status: number; statusText: string; text: string; location?: string };

/** Returns undefined when the request may reach the zone. */
async function checkForwardAuth(route: FindDestination, request: IncomingMessage): Promise<Rejection | undefined> {
  const forwardAuth = route(toHostName(request))?.forwardAuth;
  if (!forwardAuth) return undefined;
  const result = await forwardAuth.auth.authorize(request, forwardAuth.zone);
  if (result.outcome === 'allowed') return undefined;
  if (result.outcome === 'redirect')
    return { status: 302, statusText: 'Found', text: 'Sign in to open this environment.', location: result.url };
  return { status: result.status, statusText: STATUS_CODES[result.status] ?? '', text: result.text };
}

const toHostName = ({ headers }: IncomingMessage): string => (headers.host ?? '').replace(/:\d+$/, '').toLowerCase();

const attemptsMax = 5;

const rejections = {
  misdirected: { status: 421, statusText: 'Misdirected Request', text: 'This port does not serve the host.' },
  'zone-not-found': { status: 404, statusText: 'Not Found', text: 'No environment has this address.' },
  'no-instance': {
    status: 503,
    statusText: 'Service Unavailable',
    text: 'No instance of this environment is running.',
  },
};

async function handleRequest(
  route: FindDestination,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const forwardAuth = route(toHostName(request))?.forwardAuth;
  if (forwardAuth && request.url?.startsWith(servicePathPrefix))
    return forwardAuth.auth.forwardToService(request, response);
  const rejection = await checkForwardAuth(route, request);
  if (rejection) return respond(response, rejection);
  const result = await connectToInstance(route, request, response);
  if (typeof result === 'string') return respond(response, rejections[result]);
  const { connection } = result;
  const headers = { ...removeHopByHopHeaders(removeServiceHeaders(request.headers)), ...toForwardedHeaders(request) };
  const upstream = forward({
    createConnection: () => connection,
    method: request.method,
    path: request.url,
    headers,
    setHost: false,
  });
  upstream.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, removeHopByHopHeaders(answer.headers));
    answer.pipe(response);
    answer.on('error', () => response.destroy());
  });
  upstream.on('error', () => {
    if (response.headersSent) response.destroy();
    else respond(response, { status: 502, text: 'The environment did not respond.' });
  });
  response.once('close', () => connection.destroy());
  // An app may respond to the headers alone, while the body is still being sent.
  upstream.flushHeaders();
  request.pipe(upstream);
}

async function handleUpgrade(
  route: FindDestination,
  request: IncomingMessage,
  { socket, head }: { socket: Socket; head: Buffer },
): Promise<void> {
  socket.on('error', () => socket.destroy());
  const rejection = await checkForwardAuth(route, request);
  const result = rejection ?? (await connectToInstance(route, request, socket));
  if (typeof result === 'string' || 'status' in result) {
    const { status, statusText } = typeof result === 'string' ? rejections[result] : result;
    return void socket.end(`HTTP/1.1 ${status} ${statusText}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
  }
  const { connection } = result;
  const headers = Object.entries(removeServiceHeaders(request.headers)).flatMap(([name, value]) =>
    [value ?? []].flat().map((one) => `${name}: ${one}`),
  );
  connection.on('error', () => socket.destroy());
  connection.on('close', () => socket.destroy());
  socket.on('close', () => connection.destroy());
  connection.write([`${request.method} ${request.url} HTTP/1.1`, ...headers, '', ''].join('\r\n'));
  connection.write(head);
  connection.pipe(socket).pipe(connection);
}

/** Connects to a process that serves the host. If the process exits before anything is sent, the next one is tried. */
async function connectToInstance(
  route: FindDestination,
  request: IncomingMessage,
  client: ServerResponse | Socket,
): Promise<{ connection: Socket } | 'zone-not-found' | 'no-instance'> {
  const host = toHostName(request);
  const disconnected = new AbortController();
  client.once('close', () => disconnected.abort());
  for (let tries = 0; tries < attemptsMax; tries += 1) {
    const destination = route(host);
    if (destination === undefined) return 'zone-not-found';
    const instance = destination.nextInstance();
    if (instance === undefined) return 'no-instance';
    // The request is counted before the first await, so a replaced process keeps running until it is done.
    instance.activeRequests += 1;
    let counted = true;
    const release = (): void => {
      if (counted) instance.activeRequests -= 1;
      counted = false;
    };
    try {
      const connection = await instance.openConnection(disconnected.signal);
      if (disconnected.signal.aborted) {
        connection.destroy();
        throw new Error('The client disconnected.');
      }
      client.once('close', release);
      return { connection };
    } catch (error) {
      release();
      if (disconnected.signal.aborted) throw error;
      // The exit of the process is noticed in the next iteration of the event loop.
      await setImmediate();
    }
  }
  return 'no-instance';
}

const hopByHopHeaders = ['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'upgrade'];

/** Removes the headers that apply to a single connection only. */
function removeHopByHopHeaders(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  const named = (headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase());
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !hopByHopHeaders.includes(name) && !named.includes(name)),
  );
}

const toForwardedHeaders = ({ headers, socket }: IncomingMessage): OutgoingHttpHeaders => ({
  'x-forwarded-for': socket.remoteAddress ?? '',
  'x-forwarded-proto': 'http',
  'x-forwarded-host': headers.host ?? '',
});

function respond(
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
