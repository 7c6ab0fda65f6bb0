import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type RequestListener } from 'node:http';
import { connect, type AddressInfo, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import {
  createForwardProxy,
  type ForwardProxyOptions,
  type ProxyRecord,
} from '../../../src/integrations/network/forward-proxy.ts';

/** Listens on a free port of this machine until the test ends. */
export async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

export const serve = async (respond: RequestListener): Promise<number> => await listen(createServer(respond));

/** Starts a proxy whose destinations are all on this machine. */
export async function startProxy(options: Partial<ForwardProxyOptions> = {}) {
  const records: ProxyRecord[] = [];
  const { server, close } = createForwardProxy({
    findRoute: () => ({ address: '127.0.0.1' }),
    onRecord: (record) => records.push(record),
    ...options,
  });
  const port = await listen(server);
  onTestFinished(close);
  return { port, records, close };
}

type Sent = { method?: string; headers?: IncomingHttpHeaders; body?: string };

export async function send(port: number, path: string, { body, ...options }: Sent = {}) {
  const sent = request({ port, path, agent: false, ...options }).end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const { statusCode: status, headers } = response;
  return { status, headers, body: await text(response) };
}

/** Requests a tunnel, and returns all that comes back, after what is sent through it. */
export async function openTunnel(port: number, authority: string, payload = ''): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  // A payload that follows at once is the head of the tunnel.
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n\r\n${payload}`);
  return await text(socket);
}
