import { lookup } from 'node:dns/promises';
import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import { canonicalAddress } from '../../rules/network/canonical-address.ts';
import { toListenError } from './ports.ts';

export type HttpServerHandle = { stop(timeoutMs: number): Promise<void> };

type App = { fetch: (request: Request) => Response | Promise<Response> };
type HttpServerOptions = {
  port: number;
  host: string;
  /** By default the API. */
  purpose?: string;
  /** The setting that changes the port; by default PORT. */
  configuredBy?: string;
  /** Whether the app is served on loopback too, if the host does not include it. */
  alsoOnLoopback?: boolean;
  /** Returns the response to a request that is refused before it reaches the app. It must not throw. */
  refuse?: (incoming: IncomingMessage) => Refusal | undefined | Promise<Refusal | undefined>;
  /** Returns the response to a request that cannot be read; by default it is a problem without a reason. */
  toProblem?: (cause: UnreadableCause) => Refusal;
  timeouts?: RequestTimeouts;
};
export type UnreadableCause = {
  reason: 'malformed' | 'request-timeout' | 'headers-too-large';
  status: number;
  detail: string;
};
export type RequestTimeouts = { headersMs: number; requestMs: number };
type Refusal = { status: number; headers: Record<string, string>; body: string };

/** The system's usual maximum. Above the backlog, a connection is tried again only after a second. */
const backlog = 4096;

/** Slow senders hold a connection and memory. A large body, of a few megabytes, arrives in a fraction of this time. */
const defaultTimeouts: RequestTimeouts = { headersMs: 15_000, requestMs: 60_000 };

/** Within this time, a sender reads the response to a body that is not read. */
const lingerMs = 200;

/** Serves an app. `stop` waits for running requests and closes those that take longer than the given time. */
export async function startHttpServer(app: App, options: HttpServerOptions): Promise<HttpServerHandle> {
  const { host, alsoOnLoopback = false } = options;
  const hosts = [host, ...(alsoOnLoopback && !(await includesLoopback(host)) ? [loopback] : [])];
  const servers = await Promise.all(hosts.map(async (one) => await startServer(app, { ...options, host: one })));
  return { stop: async (timeoutMs) => void (await Promise.all(servers.map(({ stop }) => stop(timeoutMs)))) };
}

const loopback = '127.0.0.1';

async function includesLoopback(host: string): Promise<boolean> {
  const { address } = await lookup(host);
  return [loopback, '0.0.0.0', '::'].includes(canonicalAddress(address));
}

async function startServer(app: App, options: HttpServerOptions): Promise<HttpServerHandle> {
  const { port, host, refuse, toProblem = toPlainProblem, timeouts = defaultTimeouts } = options;
  const { purpose = 'the API', configuredBy = 'PORT' } = options;
  const serve = getRequestListener(app.fetch, { hostname: host });
  const limits = {
    headersTimeout: timeouts.headersMs,
    requestTimeout: timeouts.requestMs,
    connectionsCheckingInterval: Math.min(5_000, timeouts.headersMs),
  };
  const server = createServer(limits, (incoming, outgoing) => {
    const respond = (refusal: Refusal | undefined): void => {
      if (refusal) sendRefusal(incoming, outgoing, refusal);
      else void serve(incoming, outgoing);
    };
    const refusal = refuse?.(incoming);
    if (refusal instanceof Promise) void refusal.then(respond);
    else respond(refusal);
  });
  server.on('clientError', respondToClientError(toProblem));
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(toListenError(error, { port, host, purpose, configuredBy })));
    server.listen({ port, host, backlog }, resolve);
  });
  return {
    async stop(timeoutMs) {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      const closeTimer = setTimeout(() => server.closeAllConnections(), timeoutMs);
      await closed;
      clearTimeout(closeTimer);
    },
  };
}

const clientErrors: Record<string, UnreadableCause> = {
  ERR_HTTP_REQUEST_TIMEOUT: {
    reason: 'request-timeout',
    status: 408,
    detail: 'The request did not arrive in time. Send it again.',
  },
  HPE_HEADER_OVERFLOW: {
    reason: 'headers-too-large',
    status: 431,
    detail: 'The URL and the headers exceed 16 kB. Send fewer or shorter ones.',
  },
};
const malformedRequest: UnreadableCause = {
  reason: 'malformed',
  status: 400,
  detail: 'The request is not valid HTTP/1.1.',
};

/** Responds to what reaches no handler. Node's own responses have no body. */
const respondToClientError =
  (toProblem: (cause: UnreadableCause) => Refusal) =>
  ({ code }: NodeJS.ErrnoException, socket: Duplex): void => {
    const { _httpMessage: response } = socket as { _httpMessage?: { headersSent: boolean } };
    if (!socket.writable || code === 'ECONNRESET' || response?.headersSent === true) socket.destroy();
    else socket.end(formatResponse(toProblem(clientErrors[code ?? ''] ?? malformedRequest)));
  };

const toPlainProblem = ({ status, detail }: UnreadableCause): Refusal => ({
  status,
  headers: { 'Content-Type': 'application/problem+json' },
  body: JSON.stringify({ type: 'about:blank', title: STATUS_CODES[status], status, detail }),
});

/** Responds without reading the rest of a body: Node's own response would first receive the whole body. */
function sendRefusal(incoming: IncomingMessage, outgoing: ServerResponse, refusal: Refusal): void {
  const { socket } = incoming;
  if (incoming.complete) {
    outgoing.writeHead(refusal.status, toFields(refusal)).end(refusal.body);
    return;
  }
  // The rest of the body is not read, because it would only fill the memory.
  socket.pause();
  socket.end(formatResponse(refusal));
  setTimeout(() => socket.destroy(), lingerMs).unref();
}

/** The connection is closed, because requests of a flood on open connections would starve new ones. */
const toFields = ({ headers, body }: Refusal): Record<string, string> => ({
  ...headers,
  Connection: 'close',
  'Content-Length': String(Buffer.byteLength(body)),
});

function formatResponse(refusal: Refusal): string {
  const { status, body } = refusal;
  const lines = Object.entries(toFields(refusal)).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n');
}
