import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export type SitePage = string | ((request: IncomingMessage, response: ServerResponse) => void);

/** Starts a site that serves the given pages and records the requested paths. */
export async function startSite(pages: Record<string, SitePage>) {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    const page = pages[request.url ?? ''];
    if (typeof page === 'function') return page(request, response);
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(page);
  });
  server.on('upgrade', (request, socket) => {
    requests.push(`upgrade ${request.url}`);
    socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { requests, port, url: `http://hello-rc.localhost:${port}` };
}

/** Starts a server that records every TCP connection and UDP datagram on a loopback port. */
export async function startCanary() {
  const connections: string[] = [];
  const sockets = new Set<Socket>();
  const tcp = createTcpServer((socket) => {
    sockets.add(socket);
    connections.push('tcp');
    socket.on('error', () => socket.destroy());
    socket.once('data', (data) => {
      connections.push(data.toString('latin1').split('\r\n')[0] ?? '');
      socket.end('HTTP/1.1 200 OK\r\naccess-control-allow-origin: *\r\ncontent-length: 6\r\n\r\nsecret');
    });
  });
  tcp.listen(0, '127.0.0.1');
  await once(tcp, 'listening');
  const { port } = tcp.address() as AddressInfo;
  const udp = createSocket('udp4');
  udp.on('message', () => connections.push('udp'));
  udp.bind(port, '127.0.0.1');
  await once(udp, 'listening');
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    tcp.close();
    udp.close();
  });
  return { port, connections, at: (host: string, path = '/') => `http://${host}:${port}${path}` };
}
