import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request as forward, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { pipeline, type Readable } from 'node:stream';
import type { Site } from './browser.ts';

export type SiteProxy = {
  /** The URL for the browser's proxy setting. */
  url: string;
  allows(url: string): boolean;
  /** Returns the first connection error, if there was one. */
  connectionError(): string | undefined;
  close(): Promise<void>;
};

/** No useful page is larger, so a larger one is probably an attack on the worker. */
const pageBytesMax = 64 * 1024 * 1024;

/**
 * Starts a forward proxy with one destination: one host name at one address and port. It is the only network access of
 * the browser, and it never resolves the name again.
 */
export async function startSiteProxy(site: Site): Promise<SiteProxy> {
  const origins = allowedOrigins(site.url);
  const upstream = new Upstream(site.address);
  const server = createServer((request, response) => {
    const url = URL.parse(request.url ?? '');
    if (url?.protocol !== 'http:' || !origins.has(url.origin)) return sendError(response, 403);
    upstream.forwardRequest(request, response, url);
  });
  server.on('connect', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    const port = findDestinationPort(request.url ?? '', origins);
    if (port === undefined) socket.end('HTTP/1.1 403 Forbidden\r\nconnection: close\r\n\r\n');
    else upstream.openTunnel(socket, head, port);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    allows: (url) => origins.has(URL.parse(url)?.origin ?? ''),
    connectionError: () => upstream.connectionError,
    async close() {
      upstream.close();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Allows the site's origin. A site on the default ports may redirect between http and https. */
function allowedOrigins(siteUrl: string): Set<string> {
  const { origin, hostname, port } = new URL(siteUrl);
  return new Set(port === '' ? [`http://${hostname}`, `https://${hostname}`] : [origin]);
}

/** WebSockets use a tunnel like https, so an http origin may request one too. */
function findDestinationPort(authority: string, origins: Set<string>): number | undefined {
  for (const origin of origins) {
    const { protocol, hostname, port } = new URL(origin);
    const destination = port || (protocol === 'https:' ? '443' : '80');
    if (authority.toLowerCase() === `${hostname}:${destination}`) return Number(destination);
  }
  return undefined;
}

/** Connects to the one allowed address. */
class Upstream {
  readonly #address: string;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #tunnels = new Set<Socket>();
  #bytes = 0;
  connectionError: string | undefined;

  constructor(address: string) {
    this.#address = address;
  }

  forwardRequest(request: IncomingMessage, response: ServerResponse, url: URL): void {
    const proxied = forward({
      agent: this.#agent,
      host: this.#address,
      port: url.port || 80,
      method: request.method,
      path: url.pathname + url.search,
      headers: withoutHopByHop(request.rawHeaders, url.host),
      setHost: false,
    });
    proxied.on('response', (upstreamResponse) => {
      // A browser would take a 407 for a request of the proxy itself to authenticate.
      if (upstreamResponse.statusCode === 407) return sendError(response, 502);
      response.writeHead(upstreamResponse.statusCode ?? 502, withoutHopByHop(upstreamResponse.rawHeaders));
      this.#count(upstreamResponse);
      pipeline(upstreamResponse, response, () => response.destroy());
    });
    proxied.on('error', (error) => {
      this.connectionError ??= error.message;
      if (response.headersSent) response.destroy();
      else sendError(response, 502);
    });
    response.once('close', () => proxied.destroy());
    pipeline(request, proxied, () => {});
  }

  openTunnel(socket: Socket, head: Buffer, port: number): void {
    const destination = connect({ host: this.#address, port });
    this.#tunnels.add(destination).add(socket);
    destination.once('connect', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      destination.write(head);
      destination.pipe(socket).pipe(destination);
      this.#count(destination);
    });
    destination.on('error', (error) => {
      this.connectionError ??= error.message;
      socket.destroy();
    });
    destination.once('close', () => socket.destroy());
    socket.once('close', () => destination.destroy());
  }

  #count(stream: Readable): void {
    stream.on('data', (chunk: Buffer) => {
      this.#bytes += chunk.length;
      if (this.#bytes > pageBytesMax) stream.destroy();
    });
  }

  close(): void {
    this.#agent.destroy();
    for (const socket of this.#tunnels) socket.destroy();
  }
}

const hopByHop = /^(connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/i;

function withoutHopByHop(rawHeaders: string[], host?: string): string[] {
  const kept = host === undefined ? [] : ['Host', host];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2);
    if (!hopByHop.test(name) && !(host !== undefined && /^host$/i.test(name))) kept.push(name, value);
  }
  return kept;
}

/** The body is not empty, because for an empty one the browser shows its own page with its own URL. */
function sendError(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-type': 'text/plain' });
  response.end('Not reachable.');
}
