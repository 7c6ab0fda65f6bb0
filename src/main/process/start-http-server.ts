import { createServer, type IncomingMessage, STATUS_CODES } from 'node:http';
import { getRequestListener } from '@hono/node-server';

export type HttpServerHandle = { stop(timeoutMs: number): Promise<void> };

type HttpServerOptions = {
  port: number;
  host: string;
  /** Returns the response to a request that its headers alone refuse; such a request does not reach the app. */
  refuse?: (incoming: IncomingMessage) => Refusal | undefined;
};
type Refusal = { status: number; headers: Record<string, string>; body: string };

/** The system's usual maximum. Above the backlog, a connection is tried again only after a second. */
const backlog = 4096;

/** Within this time, a sender reads the response to a body that is not read. */
const lingerMs = 200;

/** Serves an app. `stop` waits for running requests and closes those that take longer than the given time. */
export async function startHttpServer(
  app: { fetch: (request: Request) => Response | Promise<Response> },
  { port, host, refuse }: HttpServerOptions,
): Promise<HttpServerHandle> {
  const serve = getRequestListener(app.fetch, { hostname: host });
  const server = createServer((incoming, outgoing) => {
    const refusal = refuse?.(incoming);
    if (refusal) sendRefusal(incoming, refusal);
    else void serve(incoming, outgoing);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
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

/** Sends a response without reading the body: Node's own response would first receive the whole body. */
function sendRefusal({ socket }: IncomingMessage, { status, headers, body }: Refusal): void {
  const fields = { ...headers, Connection: 'close', 'Content-Length': String(Buffer.byteLength(body)) };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'));
  setTimeout(() => socket.destroy(), lingerMs).unref();
}
