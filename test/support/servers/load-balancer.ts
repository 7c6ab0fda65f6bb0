import { createServer, request as sendRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type LoadBalancer = {
  url: string;
  /** Base URLs of the processes, which receive the requests in turn. */
  backends: string[];
  close(): Promise<void>;
};

/** Sends each request to the next backend, and to another one if that backend refuses the connection. */
export async function startLoadBalancer(): Promise<LoadBalancer> {
  const backends: string[] = [];
  let turn = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => forwardRequest({ request, response, body: Buffer.concat(chunks) }, [...backendsInTurn()]));
  });
  function* backendsInTurn(): Generator<string> {
    const first = (turn += 1);
    for (let index = 0; index < backends.length; index += 1) yield backends[(first + index) % backends.length] ?? '';
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    backends,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Exchange = { request: IncomingMessage; response: ServerResponse; body: Buffer };

function forwardRequest(exchange: Exchange, [backend, ...others]: string[]): void {
  const { request, response, body } = exchange;
  if (backend === undefined) return void response.writeHead(503).end();
  const { host: _, ...headers } = request.headers;
  const forwarded = sendRequest(`${backend}${request.url}`, { method: request.method, headers }, (backendResponse) => {
    response.writeHead(backendResponse.statusCode ?? 502, backendResponse.headers);
    backendResponse.pipe(response);
    backendResponse.on('error', () => response.destroy());
  });
  forwarded.on('error', (error: NodeJS.ErrnoException) => {
    if (response.headersSent) return response.destroy();
    // Only a refused connection is safe to retry: another backend may have handled the request already.
    if (error.code === 'ECONNREFUSED') return forwardRequest(exchange, others);
    return void response.writeHead(502).end();
  });
  forwarded.end(body);
}
