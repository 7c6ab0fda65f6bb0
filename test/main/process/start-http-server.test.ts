import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { startHttpServer, type RequestTimeouts } from '../../../src/main/process/start-http-server.ts';
import { reservePort } from '../../support/servers/reserve-ports.ts';

const refusal = {
  status: 413,
  headers: { 'Content-Type': 'application/problem+json' },
  body: '{"reason":"too-large"}',
};

async function start(timeouts?: RequestTimeouts): Promise<{ port: number; served: string[] }> {
  const port = await reservePort();
  const served: string[] = [];
  const fetch = async (request: Request): Promise<Response> => {
    served.push(new URL(request.url).pathname);
    return new Response(await request.text());
  };
  const refuse = ({ url }: IncomingMessage) => (url === '/refused' ? refusal : undefined);
  const server = await startHttpServer({ fetch }, { port, host: '127.0.0.1', refuse, ...(timeouts && { timeouts }) });
  onTestFinished(async () => await server.stop(0));
  return { port, served };
}

it('responds to a refused request without receiving its body, and closes the connection', async () => {
  const { port, served } = await start();
  const socket = connect(port, '127.0.0.1');
  const bytes = 64 * 1024 * 1024;
  let sent = 0;
  const part = Buffer.alloc(64 * 1024);
  const send = (): void => {
    while (sent < bytes && !socket.destroyed) {
      sent += part.length;
      if (!socket.write(part)) return;
    }
  };
  socket.on('drain', send);
  socket.on('error', () => {});
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(`POST /refused HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${bytes}\r\n\r\n`);
  send();
  const [response] = (await once(socket, 'data')) as [Buffer];
  expect(response.toString()).toMatch(
    /^HTTP\/1\.1 413 Payload Too Large\r\nContent-Type: application\/problem\+json\r\n/,
  );
  expect(response.toString()).toMatch(/Connection: close\r\n[^]*\r\n\r\n\{"reason":"too-large"\}$/);
  await closed;
  expect(sent).toBeLessThan(bytes);
  expect(served).toEqual([]);
});

it('serves every other request', async () => {
  const { port, served } = await start();
  const socket = connect(port, '127.0.0.1');
  socket.end('POST /other HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello');
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 [^]*hello$/);
  expect(served).toEqual(['/other']);
});

it.each([
  ['headers', 'POST /slow HTTP/1.1\r\nHost: localhost\r\n'],
  ['body', 'POST /slow HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhe'],
])('408: closes a connection whose %s do not arrive in time', async (_part, sent) => {
  const { port } = await start({ headersMs: 100, requestMs: 200 });
  const socket = connect(port, '127.0.0.1');
  socket.write(sent);
  const response = await text(socket);
  expect(response).toMatch(/^HTTP\/1\.1 408 [^]*application\/problem\+json/);
  expect(response).toContain('"status":408');
});

it.each([
  [431, `GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`],
  [400, 'nonsense\r\n\r\n'],
])('%s: explains a request that reaches no handler', async (status, sent) => {
  const { port, served } = await start();
  const socket = connect(port, '127.0.0.1');
  socket.write(sent);
  expect(await text(socket)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [^]*"status":${status}`));
  expect(served).toEqual([]);
});

const hasIpv6 = Object.values(networkInterfaces()).some((found) => found?.some(({ address }) => address === '::1'));
const hosts = ['127.0.0.1', '127.0.0.2', '0.0.0.0', ...(hasIpv6 ? ['::1', '::'] : [])];

it.runIf(process.platform === 'linux').each(hosts)('serves %s and loopback, when both are wanted', async (host) => {
  const port = await reservePort();
  const fetchApp = (): Response => new Response('served');
  const server = await startHttpServer({ fetch: fetchApp }, { port, host, alsoOnLoopback: true });
  onTestFinished(async () => await server.stop(0));
  for (const one of [host, '127.0.0.1']) {
    const socket = connect(port, one);
    socket.end('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 [^]*served/);
  }
});

it('names the setting of a port that is in use, and of a host that is none of this machine', async () => {
  const { port } = await start();
  const fetch = () => new Response();
  await expect(startHttpServer({ fetch }, { port, host: '127.0.0.1' })).rejects.toThrow(
    `Port ${port}, meant for the API, is in use by another program. Free it, or set another with PORT.`,
  );
  const metrics = { port, host: '127.0.0.1', purpose: 'probes and metrics', configuredBy: 'METRICS_PORT' };
  await expect(startHttpServer({ fetch }, metrics)).rejects.toThrow(
    `Port ${port}, meant for probes and metrics, is in use by another program. Free it, or set another with METRICS_PORT.`,
  );
  await expect(startHttpServer({ fetch }, { port, host: '192.0.2.1' })).rejects.toThrow(
    'HOST is not an address of this machine: "192.0.2.1". Set one that is, such as 127.0.0.1, or 0.0.0.0 for all.',
  );
});
