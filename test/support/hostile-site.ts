import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export type Page = string | ((request: IncomingMessage, response: ServerResponse) => void);

/** A site of one machine that answers as it likes, and remembers what it was asked for. */
export async function aSite(pages: Record<string, Page>) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const page = pages[request.url ?? ''];
    if (typeof page === 'function') return page(request, response);
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(page);
  });
  server.on('upgrade', (request, socket) => {
    asked.push(`upgrade ${request.url}`);
    socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { asked, port, url: `http://hello-rc.localhost:${port}` };
}

/** Hears whoever comes, by TCP or by UDP, on loopback and under whatever name. */
export async function aCanary() {
  const heard: string[] = [];
  const lines = new Set<Socket>();
  const tcp = createTcpServer((socket) => {
    lines.add(socket);
    heard.push('tcp');
    socket.on('error', () => socket.destroy());
    socket.once('data', (data) => {
      heard.push(data.toString('latin1').split('\r\n')[0] ?? '');
      socket.end('HTTP/1.1 200 OK\r\naccess-control-allow-origin: *\r\ncontent-length: 6\r\n\r\nsecret');
    });
  });
  tcp.listen(0, '127.0.0.1');
  await once(tcp, 'listening');
  const { port } = tcp.address() as AddressInfo;
  const udp = createSocket('udp4');
  udp.on('message', () => heard.push('udp'));
  udp.bind(port, '127.0.0.1');
  await once(udp, 'listening');
  onTestFinished(async () => {
    for (const line of lines) line.destroy();
    tcp.close();
    udp.close();
  });
  return { port, heard, at: (host: string, path = '/') => `http://${host}:${port}${path}` };
}
