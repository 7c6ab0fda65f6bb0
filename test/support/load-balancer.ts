import { createServer, request as ask, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type LoadBalancer = {
  url: string;
  /** Base URLs of the processes that requests go to in turn. */
  backends: string[];
  close(): Promise<void>;
};

/** Sends each request to the next of its backends, and to another where that one does not take it at all. */
export async function startLoadBalancer(): Promise<LoadBalancer> {
  const backends: string[] = [];
  let turn = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => forward({ request, response, body: Buffer.concat(chunks) }, [...inTurn()]));
  });
  function* inTurn(): Generator<string> {
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

function forward(exchange: Exchange, [backend, ...others]: string[]): void {
  const { request, response, body } = exchange;
  if (backend === undefined) return void response.writeHead(503).end();
  const { host: _, ...headers } = request.headers;
  const onward = ask(`${backend}${request.url}`, { method: request.method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
    answer.on('error', () => response.destroy());
  });
  onward.on('error', (error: NodeJS.ErrnoException) => {
    if (response.headersSent) return response.destroy();
    // Only who never heard of it may be followed by another: what was begun is the caller's to repeat.
    if (error.code === 'ECONNREFUSED') return forward(exchange, others);
    return void response.writeHead(502).end();
  });
  onward.end(body);
}
