import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request as forward, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { pipeline, type Readable } from 'node:stream';
import type { Site } from './browser.ts';

export type SiteProxy = {
  /** For the browser's proxy setting. */
  url: string;
  allows(url: string): boolean;
  /** Why the site could not be reached, if it could not. */
  problem(): string | undefined;
  close(): Promise<void>;
};

/** A page that needs more is not one to take a picture of, but one that tries what a worker can take. */
const bytesMax = 64 * 1024 * 1024;

/**
 * A forward proxy that knows one destination. Whatever the page does, follows or resolves, this is the only way out of
 * the browser, and it leads to one host name at one address and port; the name is never looked up again.
 */
export async function startSiteProxy(site: Site): Promise<SiteProxy> {
  const origins = originsOf(site.url);
  const line = new Line(site.address);
  const server = createServer((request, response) => {
    const url = URL.parse(request.url ?? '');
    if (url?.protocol !== 'http:' || !origins.has(url.origin)) return refuse(response, 403);
    line.pass(request, response, url);
  });
  server.on('connect', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    const port = destinationPort(request.url ?? '', origins);
    if (port === undefined) socket.end('HTTP/1.1 403 Forbidden\r\nconnection: close\r\n\r\n');
    else line.tunnel(socket, head, port);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    allows: (url) => origins.has(URL.parse(url)?.origin ?? ''),
    problem: () => line.problem,
    async close() {
      line.close();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The site's own origin; one on the usual ports may move its visitors between http and https. */
function originsOf(siteUrl: string): Set<string> {
  const { origin, hostname, port } = new URL(siteUrl);
  return new Set(port === '' ? [`http://${hostname}`, `https://${hostname}`] : [origin]);
}

/** WebSockets come through a tunnel as https does, so that both kinds of origin may ask for one. */
function destinationPort(authority: string, origins: Set<string>): number | undefined {
  for (const origin of origins) {
    const { protocol, hostname, port } = new URL(origin);
    const destination = port || (protocol === 'https:' ? '443' : '80');
    if (authority.toLowerCase() === `${hostname}:${destination}`) return Number(destination);
  }
  return undefined;
}

/** The way to the one address. */
class Line {
  readonly #address: string;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #tunnels = new Set<Socket>();
  #bytes = 0;
  /** Why the address could not be reached, the first time that it could not. */
  problem: string | undefined;

  constructor(address: string) {
    this.#address = address;
  }

  pass(request: IncomingMessage, response: ServerResponse, url: URL): void {
    const sending = forward({
      agent: this.#agent,
      host: this.#address,
      port: url.port || 80,
      method: request.method,
      path: url.pathname + url.search,
      headers: endToEnd(request.rawHeaders, url.host),
      setHost: false,
    });
    sending.on('response', (answered) => {
      // To a browser that speaks through a proxy this one would be the proxy's own question.
      if (answered.statusCode === 407) return refuse(response, 502);
      response.writeHead(answered.statusCode ?? 502, endToEnd(answered.rawHeaders));
      this.#count(answered);
      pipeline(answered, response, () => response.destroy());
    });
    sending.on('error', (error) => {
      this.problem ??= error.message;
      if (response.headersSent) response.destroy();
      else refuse(response, 502);
    });
    response.once('close', () => sending.destroy());
    pipeline(request, sending, () => {});
  }

  tunnel(socket: Socket, head: Buffer, port: number): void {
    const far = connect({ host: this.#address, port });
    this.#tunnels.add(far).add(socket);
    far.once('connect', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      far.write(head);
      far.pipe(socket).pipe(far);
      this.#count(far);
    });
    far.on('error', (error) => {
      this.problem ??= error.message;
      socket.destroy();
    });
    far.once('close', () => socket.destroy());
    socket.once('close', () => far.destroy());
  }

  #count(stream: Readable): void {
    stream.on('data', (chunk: Buffer) => {
      this.#bytes += chunk.length;
      if (this.#bytes > bytesMax) stream.destroy();
    });
  }

  close(): void {
    this.#agent.destroy();
    for (const socket of this.#tunnels) socket.destroy();
  }
}

const hopByHop = /^(connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/i;

function endToEnd(rawHeaders: string[], host?: string): string[] {
  const kept = host === undefined ? [] : ['Host', host];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2);
    if (!hopByHop.test(name) && !(host !== undefined && /^host$/i.test(name))) kept.push(name, value);
  }
  return kept;
}

/** With a text, since for an empty refusal the browser shows a page of its own at an address of its own. */
function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-type': 'text/plain' });
  response.end('Not reached.');
}
