import { createServer, request } from 'node:http';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { listen, send, serve, startProxy } from './forward-proxy-fixture.ts';

describe('a request', () => {
  it('is forwarded with its method, path, headers and body, and recorded with its sizes', async () => {
    const asked: object[] = [];
    const origin = await serve(async (incoming, response) => {
      const { method, url, headers } = incoming;
      asked.push({ method, url, headers, body: await text(incoming) });
      response.writeHead(201, { 'x-answer': 'yes', 'proxy-status': 'x', 'keep-alive': 'timeout=9' }).end('created');
    });
    const { port, records } = await startProxy();
    const headers = { 'x-asked': 'yes', te: 'trailers', 'proxy-authorization': 'Basic x', 'content-length': '4' };
    const url = `http://shop.test:${origin}/a/b?c=d`;
    const { status, headers: answered, body } = await send(port, url, { method: 'PUT', headers, body: 'sent' });
    expect({ status, body }).toEqual({ status: 201, body: 'created' });
    expect(answered['x-answer']).toBe('yes');
    expect(answered).not.toHaveProperty('proxy-status');
    expect(answered['keep-alive']).not.toBe('timeout=9');
    const forwarded = {
      'x-asked': 'yes',
      host: `shop.test:${origin}`,
      'content-length': '4',
      connection: 'keep-alive',
    };
    expect(asked).toEqual([{ method: 'PUT', url: '/a/b?c=d', headers: forwarded, body: 'sent' }]);
    await expect.poll(() => records).toHaveLength(1);
    expect(records).toEqual([
      { kind: 'http', host: 'shop.test', port: origin, verdict: 'allowed', sentBytes: 4, receivedBytes: 7 },
    ]);
  });

  it.each(['GET', 'DELETE', 'POST'])('with a chunked body is one request, also if its method is %s', async (method) => {
    const asked: object[] = [];
    const origin = await serve(async (incoming, response) => {
      asked.push({ method: incoming.method, url: incoming.url, body: await text(incoming) });
      response.end('done');
    });
    const { port } = await startProxy();
    const hidden = `GET /hidden HTTP/1.1\r\nhost: shop.test\r\n\r\n`;
    const headers = { 'transfer-encoding': 'chunked' };
    const { body } = await send(port, `http://shop.test:${origin}/`, { method, headers, body: hidden });
    expect(body).toBe('done');
    expect((await send(port, `http://shop.test:${origin}/next`)).body).toBe('done');
    expect(asked).toEqual([
      { method, url: '/', body: hidden },
      { method: 'GET', url: '/next', body: '' },
    ]);
  });

  it('without a port is for port 80', async () => {
    const { port, records } = await startProxy({ findRoute: () => ({ violation: 'Not here.' }) });
    expect(await send(port, 'http://shop.test/')).toMatchObject({ status: 403, body: 'Not here.' });
    expect(records).toEqual([
      {
        kind: 'http',
        host: 'shop.test',
        port: 80,
        verdict: 'refused',
        reason: 'Not here.',
        sentBytes: 0,
        receivedBytes: 0,
      },
    ]);
  });

  it.each(['https://shop.test/', 'ftp://shop.test/', '/path'])('for %s is no request of a proxy', async (url) => {
    const { port, records } = await startProxy();
    expect(await send(port, url)).toMatchObject({ status: 400 });
    expect(records).toEqual([]);
  });

  it('is refused if its host cannot be resolved', async () => {
    const findRoute = async () => await Promise.reject(new Error('resolver is away'));
    const { port } = await startProxy({ findRoute });
    expect(await send(port, 'http://shop.test/')).toMatchObject({
      status: 403,
      body: 'The host shop.test could not be resolved.',
    });
  });

  it('gets 502 in place of a demand for a password of a proxy', async () => {
    const origin = await serve((_, response) => void response.writeHead(407).end('Who?'));
    const { port } = await startProxy();
    expect(await send(port, `http://shop.test:${origin}/`)).toMatchObject({ status: 502, body: 'Not reachable.' });
  });

  it.each(['099', '000'])('gets 502 in place of the status %s, which cannot be sent', async (status) => {
    const answer = `HTTP/1.1 ${status} X\r\ncontent-length: 2\r\n\r\nok`;
    const origin = await listen(createTcpServer((socket) => socket.once('data', () => socket.end(answer))));
    const { port } = await startProxy();
    expect(await send(port, `http://shop.test:${origin}/`)).toMatchObject({ status: 502, body: 'Not reachable.' });
  });

  it('gets 502 from a server that switches protocols, and is recorded as failed', async () => {
    const answer = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n';
    const origin = await listen(createTcpServer((socket) => socket.once('data', () => socket.write(answer))));
    const { port, records } = await startProxy();
    expect(await send(port, `http://shop.test:${origin}/`)).toMatchObject({ status: 502, body: 'Not reachable.' });
    expect(records).toMatchObject([{ verdict: 'failed', reason: 'The server switched protocols.' }]);
  });

  it('is recorded as failed if the server ends the connection', async () => {
    const origin = await listen(createTcpServer((socket) => socket.destroy()));
    const { port, records } = await startProxy();
    expect(await send(port, `http://shop.test:${origin}/`)).toMatchObject({ status: 502, body: 'Not reachable.' });
    expect(records).toMatchObject([{ verdict: 'failed', reason: expect.stringMatching(/hang up|ECONNRESET/) }]);
  });

  it('is cancelled at the server if the client leaves', async () => {
    const left = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    const origin = await serve((_, response) => {
      response.once('close', left.resolve);
      arrived.resolve();
    });
    const { port, records } = await startProxy();
    const sent = request({ port, path: `http://shop.test:${origin}/`, agent: false }).end();
    sent.on('error', () => {});
    await arrived.promise;
    sent.destroy();
    await left.promise;
    await expect.poll(() => records).toHaveLength(1);
  });
});

it('ends its idle connections to servers when it is closed', async () => {
  const server = createServer((_, response) => void response.end('Hello'));
  // The server itself never ends an idle connection.
  server.keepAliveTimeout = 0;
  const ended = Promise.withResolvers<void>();
  server.on('connection', (socket: Socket) => socket.once('close', () => ended.resolve()));
  const origin = await listen(server);
  const { port, close } = await startProxy();
  expect((await send(port, `http://shop.test:${origin}/`)).body).toBe('Hello');
  await close();
  await ended.promise;
});
