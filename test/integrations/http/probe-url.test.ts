import { once } from 'node:events';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { probeUrl } from '../../../src/integrations/http/probe-url.ts';
import { startSite } from '../../support/servers/test-sites.ts';

const { signal } = new AbortController();
const options = { signal, bodyBytesMax: 10 };
const address = '127.0.0.1';

it('returns the status, the start of the body and how long it took', async () => {
  const { port, requests } = await startSite({ '/health?full=1': 'Healthy' });
  const startedAt = performance.now();
  const response = await probeUrl({ url: `http://shop.example.com:${port}/health?full=1`, address }, options);
  expect(response).toEqual({ status: 200, body: 'Healthy', durationMs: expect.any(Number) });
  expect(response.durationMs).toBeGreaterThan(0);
  expect(response.durationMs).toBeLessThanOrEqual(performance.now() - startedAt);
  expect(requests).toEqual(['/health?full=1']);
});

it('sends a GET request with the host of the URL to the address', async () => {
  const received: unknown[] = [];
  const { port } = await startSite({
    '/': ({ method, headers }, response) => {
      received.push([method, headers.host, headers['user-agent']]);
      response.writeHead(404).end();
    },
  });
  expect(await probeUrl({ url: `http://shop.example.com:${port}/`, address }, options)).toMatchObject({ status: 404 });
  expect(received).toEqual([['GET', `shop.example.com:${port}`, 'delivery-service']]);
});

it('returns the target of a redirect without following it', async () => {
  const { port, requests } = await startSite({
    '/': (_request, response) => void response.writeHead(302, { location: '/elsewhere' }).end(),
  });
  const response = await probeUrl({ url: `http://shop.example.com:${port}/`, address }, options);
  expect(response).toMatchObject({ status: 302, location: '/elsewhere', body: '' });
  expect(requests).toEqual(['/']);
});

it.each([
  ['exactly the limit', '0123456789'],
  ['one byte more', '0123456789X'],
])('ends an endless response once it has read %s', async (_name, sent) => {
  const ended = Promise.withResolvers<void>();
  const { port } = await startSite({
    '/': (_request, response) => {
      response.once('close', ended.resolve);
      response.write(sent);
    },
  });
  const response = await probeUrl({ url: `http://shop.example.com:${port}/`, address }, options);
  expect(response).toMatchObject({ status: 200, body: '0123456789' });
  await ended.promise;
});

it.each(['upgrade: websocket\r\nconnection: upgrade\r\n', ''])(
  'returns the status of a switch of protocols, with the headers %j',
  async (headers) => {
    const ended = Promise.withResolvers<void>();
    const server = createTcpServer((socket) => {
      socket.once('data', () => socket.write(`HTTP/1.1 101 Switching Protocols\r\n${headers}\r\nframe`));
      socket.on('error', () => {}).once('close', ended.resolve);
    });
    server.listen(0, address);
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const stop = AbortSignal.timeout(30_000);
    const response = await probeUrl({ url: `http://shop.example.com:${port}/`, address }, { ...options, signal: stop });
    expect(response).toMatchObject({ status: 101, body: '' });
    await ended.promise;
  },
);

it('throws when the response breaks off, when nothing listens and when it is aborted', async () => {
  const { port } = await startSite({
    '/broken': (_request, response) => {
      response.writeHead(200, { 'content-length': '5' });
      response.write('012');
      setImmediate(() => response.destroy());
    },
    '/silent': () => {},
  });
  const probe = async (path: string, stop = signal) =>
    await probeUrl({ url: `http://shop.example.com:${port}${path}`, address }, { ...options, signal: stop });
  await expect(probe('/broken')).rejects.toMatchObject({ code: 'ECONNRESET' });
  await expect(probeUrl({ url: 'http://shop.example.com:9/', address }, options)).rejects.toMatchObject({
    code: 'ECONNREFUSED',
  });
  await expect(probe('/silent', AbortSignal.timeout(50))).rejects.toMatchObject({ name: 'AbortError' });
});

it('uses TLS for https only', async () => {
  const hello = Promise.withResolvers<boolean>();
  const server = createSecureServer();
  server.once('tlsClientError', () => hello.resolve(true));
  server.once('connection', (socket) => socket.once('data', (data: Buffer) => hello.resolve(data[0] === 0x16)));
  server.listen(0, address);
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const probe = probeUrl({ url: `https://shop.example.com:${port}/`, address }, options);
  await expect(probe).rejects.toMatchObject({ code: expect.any(String) });
  expect(await hello.promise).toBe(true);
});
