import { createHash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request as sendRequest, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import type { Instance } from './instance.ts';

/** The address of a pod, as a client inside the cluster uses it. */
export const toPodHost = ({ namespace, name }: { namespace: string; name: string }): string =>
  `${name}.${namespace}.pod`;

export type PodNetworkOptions = {
  findInstance(pod: { namespace: string; name: string }): Instance | undefined;
  /** The text of each Service of the cluster itself, by its host. */
  services: Readonly<Record<string, () => Promise<string>>>;
  /** The Authorization header that every request must carry; apps never see it. */
  authorization: string;
  host?: string;
};

/**
 * Starts a forward proxy into the network of pods, for a program outside of it. It reaches a pod without the sign-in of
 * its zone, so it obeys only a caller that knows the secret, and it connects to nothing but the named pod.
 */
export async function startPodNetwork(options: PodNetworkOptions): Promise<{ url: string; close(): Promise<void> }> {
  const isAuthorized = createAuthorizer(options.authorization);
  const server = createServer((request, response) => {
    if (!isAuthorized(request)) return refuse(response, 401, 'The credentials are missing or wrong.');
    void answer(options, request, response).catch(() => {
      if (response.headersSent) response.destroy();
      else refuse(response, 502, 'The pod does not respond.');
    });
  });
  await once(server.listen(0, options.host ?? '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

const refuse = (response: ServerResponse, status: number, text: string): void =>
  void response.writeHead(status, { 'content-type': 'text/plain' }).end(text);

/** Digests have the same length, which the comparison in constant time demands. */
function createAuthorizer(expected: string): (request: IncomingMessage) => boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  const wanted = digest(expected);
  return ({ headers }) => timingSafeEqual(digest(headers.authorization ?? ''), wanted);
}

async function answer(options: PodNetworkOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = URL.parse(request.url ?? '');
  if (request.method !== 'GET' || !url) return refuse(response, 400, 'Only GET requests to a proxy are served.');
  const service = options.services[url.hostname];
  if (service) return void response.writeHead(200, { 'content-type': 'text/plain' }).end(await service());
  const [, name = '', namespace = ''] = /^([a-z0-9-]+)\.([a-z0-9-]+)\.pod$/.exec(url.hostname) ?? [];
  const instance = options.findInstance({ namespace, name });
  if (!instance) return refuse(response, 503, 'No such pod is running.');
  const disconnected = new AbortController();
  response.once('close', () => disconnected.abort());
  instance.activeRequests += 1;
  try {
    await relay(instance, { request, url, response, signal: disconnected.signal });
  } finally {
    instance.activeRequests -= 1;
  }
}

type Relay = { request: IncomingMessage; url: URL; response: ServerResponse; signal: AbortSignal };

async function relay(instance: Instance, { request, url, response, signal }: Relay): Promise<void> {
  const connection = await instance.openConnection(signal);
  const { accept = '*/*' } = request.headers;
  const toApp = sendRequest({
    createConnection: () => connection,
    path: `${url.pathname}${url.search}`,
    headers: { host: url.host, accept, connection: 'close' },
    signal,
  });
  toApp.end();
  const [answered] = (await once(toApp, 'response')) as [IncomingMessage];
  const { 'content-type': type = 'text/plain' } = answered.headers;
  response.writeHead(answered.statusCode ?? 502, { 'content-type': type });
  await pipeline(answered, response);
}
