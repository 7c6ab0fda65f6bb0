import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request as sendRequest, type Server } from 'node:http';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { pipeline, type Readable } from 'node:stream';
import { toBareHost } from '../../rules/network/url-destination.ts';

/** The destination that a client of the proxy asked for: of a plain HTTP request, or of a tunnel for any protocol. */
export type ProxyDestination = { kind: 'http' | 'tunnel'; host: string; port: number };

/** The address that a connection is pinned to, or why there is none. An upstream proxy resolves the name itself. */
export type Route = { address: string } | { upstreamProxy: URL } | { violation: string };

/** The record of one request or tunnel. It contains no path, header or content, because these may hold secrets. */
export type ProxyRecord = ProxyDestination & {
  verdict: 'allowed' | 'refused' | 'failed';
  reason?: string;
  sentBytes: number;
  receivedBytes: number;
};

export type ForwardProxyOptions = {
  findRoute: (destination: ProxyDestination) => Route | Promise<Route>;
  /** Called when a request or tunnel ends, and at once for one that is refused or fails to connect. */
  onRecord: (record: ProxyRecord) => void;
  /** Limits the responses of all connections together. */
  receivedBytesMax?: number;
};

/** A forward proxy that is not listening yet. */
export type ForwardProxy = { server: Server; close(): Promise<void> };

/** No sensible use needs more, and each one costs a file descriptor of the service. */
const connectionsMax = 256;
const connectTimeoutMs = 15_000;

/**
 * Creates a proxy that speaks CONNECT and absolute-form HTTP. It connects only to the address of the route, which was
 * judged, and never resolves a name itself. Redirects go back to the client, whose next request is judged again.
 */
export function createForwardProxy(options: ForwardProxyOptions): ForwardProxy {
  const proxy = new Forwarding(options);
  const server = createServer((request, response) => void proxy.forwardRequest(request, response));
  server.on('connect', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    void proxy.openTunnel({ authority: request.url ?? '', socket, head });
  });
  server.on('connection', (socket: Socket) => proxy.track(socket));
  server.maxConnections = connectionsMax;
  return {
    server,
    async close() {
      const closed = server.listening ? once(server, 'close') : undefined;
      server.close();
      proxy.close();
      await closed;
    },
  };
}

type Tunnel = { authority: string; socket: Socket; head: Buffer };

class Forwarding {
  readonly #options: ForwardProxyOptions;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #sockets = new Set<Socket>();
  #receivedBytes = 0;

  constructor(options: ForwardProxyOptions) {
    this.#options = options;
  }

  async forwardRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = URL.parse(request.url ?? '');
    if (url?.protocol !== 'http:') return sendError(response, 400, 'This is a proxy for http and https URLs.');
    const destination = { kind: 'http' as const, host: url.hostname, port: Number(url.port || 80) };
    const record = this.#startRecord(destination);
    const route = await this.#findRoute(destination);
    if ('violation' in route) {
      record.end('refused', route.violation);
      return sendError(response, 403, route.violation);
    }
    const proxied = sendRequest({
      agent: this.#agent,
      ...toTarget(route, url),
      method: request.method,
      headers: ['Host', url.host, ...withoutHeaders(request.rawHeaders, removedFromRequests), ...toCredentials(route)],
    });
    proxied.on('response', (upstream) => {
      const { statusCode = 0, rawHeaders } = upstream;
      // A client would take a 407 for a request of this proxy to authenticate. Node reads a status below 100, but throws
      // when it sends one.
      if (statusCode === 407 || statusCode < 100) return sendError(response, 502, 'Not reachable.');
      response.writeHead(statusCode, withoutHeaders(rawHeaders, removedFromResponses));
      this.#limit(upstream, (bytes) => (record.receivedBytes += bytes));
      pipeline(upstream, response, () => response.destroy());
    });
    const fail = (reason: string): void => {
      record.end('failed', reason);
      if (response.headersSent) response.destroy();
      else sendError(response, 502, 'Not reachable.');
    };
    // Without a listener, Node closes the connection and the request ends without an error and without a response.
    proxied.on('upgrade', (_, connection) => {
      connection.destroy();
      fail('The server switched protocols.');
    });
    proxied.on('error', ({ message }) => fail(message));
    request.on('data', (chunk: Buffer) => (record.sentBytes += chunk.length));
    response.once('close', () => {
      record.end('allowed');
      proxied.destroy();
    });
    pipeline(request, proxied, () => {});
  }

  async openTunnel({ authority, socket, head }: Tunnel): Promise<void> {
    socket.on('error', () => socket.destroy());
    const [, ipv6, name, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(authority) ?? [];
    const destination = { kind: 'tunnel' as const, host: (ipv6 ?? name ?? '').toLowerCase(), port: Number(port) };
    if (destination.host === '') return endTunnel(socket, '400 Bad Request', 'The destination must be <host>:<port>.');
    const record = this.#startRecord(destination);
    const route = await this.#findRoute(destination);
    if ('violation' in route) {
      record.end('refused', route.violation);
      return endTunnel(socket, '403 Forbidden', route.violation);
    }
    const upstream = await this.#connect(route, destination).catch((error: Error) => {
      record.end('failed', error.message);
      endTunnel(socket, '502 Bad Gateway', 'Not reachable.');
    });
    if (!upstream) return;
    upstream.on('error', (error) => record.end('failed', error.message));
    upstream.once('close', () => {
      Object.assign(record, { sentBytes: upstream.bytesWritten, receivedBytes: upstream.bytesRead });
      record.end('allowed');
      // The client may not have read all that the server sent before it closed.
      socket.destroySoon();
    });
    socket.once('close', () => upstream.destroy());
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    upstream.write(head);
    this.#limit(upstream);
    upstream.pipe(socket).pipe(upstream);
  }

  /** The server forgets the socket of a tunnel, so it is kept here until it closes. */
  track(socket: Socket): Socket {
    this.#sockets.add(socket);
    return socket.once('close', () => this.#sockets.delete(socket));
  }

  close(): void {
    this.#agent.destroy();
    for (const socket of this.#sockets) socket.destroy();
  }

  async #findRoute(destination: ProxyDestination): Promise<Route> {
    try {
      return await this.#options.findRoute(destination);
    } catch {
      return { violation: `The host ${destination.host} could not be resolved.` };
    }
  }

  async #connect(route: Exclude<Route, { violation: string }>, { host, port }: ProxyDestination): Promise<Socket> {
    const signal = AbortSignal.timeout(connectTimeoutMs);
    if ('address' in route) {
      const socket = this.track(connect({ host: route.address, port }));
      await once(socket, 'connect', { signal }).catch((error: Error) => {
        socket.destroy();
        throw error;
      });
      return socket;
    }
    const path = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    const headers = ['Host', path, ...toCredentials(route)];
    const asked = sendRequest({ ...toTarget(route), method: 'CONNECT', path, headers, agent: false, signal }).end();
    const [response, socket, head] = (await once(asked, 'connect')) as [IncomingMessage, Socket, Buffer];
    socket.unshift(head);
    if (response.statusCode === 200) return this.track(socket);
    socket.destroy();
    throw new Error(`The upstream proxy answered with status ${response.statusCode}.`);
  }

  #startRecord(destination: ProxyDestination) {
    let ended = false;
    const record = {
      sentBytes: 0,
      receivedBytes: 0,
      end: (verdict: ProxyRecord['verdict'], reason?: string): void => {
        if (ended) return;
        ended = true;
        const { sentBytes, receivedBytes } = record;
        this.#options.onRecord({ ...destination, verdict, ...(reason && { reason }), sentBytes, receivedBytes });
      },
    };
    return record;
  }

  #limit(stream: Readable, count: (bytes: number) => void = () => {}): void {
    stream.on('data', (chunk: Buffer) => {
      count(chunk.length);
      this.#receivedBytes += chunk.length;
      if (this.#receivedBytes > (this.#options.receivedBytesMax ?? Infinity)) stream.destroy();
    });
  }
}

/** An upstream proxy gets the whole URL; a server gets its path. */
function toTarget(route: Exclude<Route, { violation: string }>, url?: URL) {
  if ('address' in route) return { host: route.address, port: url?.port || 80, path: url && url.pathname + url.search };
  const { hostname, port } = route.upstreamProxy;
  return { host: toBareHost(hostname), port: port || 80, path: url?.href };
}

/** Returns the header with the credentials in the address of an upstream proxy. */
function toCredentials(route: Route): string[] {
  if (!('upstreamProxy' in route) || route.upstreamProxy.username === '') return [];
  const { username, password } = route.upstreamProxy;
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return ['Proxy-Authorization', `Basic ${Buffer.from(credentials).toString('base64')}`];
}

/** The framing of a request stays: without it, the server would take the body of a GET for a request of its own. */
const removedFromRequests = /^(host|connection|keep-alive|proxy-.*|te|trailer|upgrade)$/i;
const removedFromResponses = /^(connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/i;

const withoutHeaders = (rawHeaders: string[], removed: RegExp): string[] =>
  rawHeaders.filter((_, at) => !removed.test(rawHeaders[at - (at % 2)] ?? ''));

/** The body is never empty, because for an empty one a browser shows its own page with its own URL. */
function sendError(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain' });
  response.end(text);
}

function endTunnel(socket: Socket, status: string, text: string): void {
  // A socket that is not read would not notice that the client closes it.
  socket.resume().end(`HTTP/1.1 ${status}\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\n${text}\n`);
}
