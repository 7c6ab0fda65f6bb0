import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type RequestListener } from 'node:http';
import { connect, createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  createForwardProxy,
  type ForwardProxyOptions,
  type ProxyRecord,
} from '../../../src/integrations/network/forward-proxy.ts';

async function listen(server: Server): Promise<number> {
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

const serve = async (respond: RequestListener): Promise<number> => await listen(createServer(respond));

/** Starts a proxy whose destinations are all on this machine. */
async function startProxy(options: Partial<ForwardProxyOptions> = {}) {
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

async function send(port: number, path: string, { body, ...options }: Sent = {}) {
  const sent = request({ port, path, agent: false, ...options }).end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const { statusCode: status, headers } = response;
  return { status, headers, body: await text(response) };
}

/** Requests a tunnel, and returns all that comes back, after what is sent through it. */
async function openTunnel(port: number, authority: string, payload = ''): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  // A payload that follows at once is the head of the tunnel.
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n\r\n${payload}`);
  return await text(socket);
}

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
    expect(records).toHaveLength(1);
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

describe('the limit of received bytes', () => {
  it('ends the tunnel that exceeds it, and counts those before', async () => {
    const heard: string[] = [];
    const greeting = createTcpServer((socket) => {
      socket.on('data', (data) => heard.push(data.toString())).on('error', () => {});
      socket.write('12345');
    });
    const origin = await listen(greeting);
    const { port, records } = await startProxy({ receivedBytesMax: 10 });
    /** Thanks the server for its greeting. */
    const talk = async (): Promise<void> => {
      const socket = connect(port, '127.0.0.1');
      let received = '';
      socket.on('error', () => {}).write(`CONNECT shop.test:${origin} HTTP/1.1\r\n\r\n`);
      socket.on('data', (data) => {
        received += data.toString();
        if (received.endsWith('12345')) socket.end('thanks');
      });
      await new Promise((resolve) => socket.once('close', resolve));
    };
    for (let time = 0; time < 3; time += 1) await talk();
    expect(heard).toEqual(['thanks', 'thanks']);
    expect(records.map(({ receivedBytes }) => receivedBytes)).toEqual([5, 5, 5]);
  });

  it('ends a response that exceeds it', async () => {
    const origin = await serve((_, response) => void response.write('12345'));
    const { port } = await startProxy({ receivedBytesMax: 4 });
    await expect(send(port, `http://shop.test:${origin}/`)).rejects.toThrow(/aborted|hang up|ECONNRESET/);
  });
});

describe('a tunnel', () => {
  const echo = async () =>
    await listen(createTcpServer((socket) => void socket.once('data', (data) => socket.end(data))));

  it('carries what follows its request at once, and is recorded with its sizes', async () => {
    const origin = await echo();
    const { port, records } = await startProxy();
    expect(await openTunnel(port, `SHOP.test:${origin}`, 'Hello')).toBe(
      'HTTP/1.1 200 Connection established\r\n\r\nHello',
    );
    expect(records).toEqual([
      { kind: 'tunnel', host: 'shop.test', port: origin, verdict: 'allowed', sentBytes: 5, receivedBytes: 5 },
    ]);
  });

  it.each(['shop.test', 'shop.test:', ':443', '[::1]', 'a:b:1', 'shop.test:123456'])(
    'to %s is refused, because that is no destination',
    async (authority) => {
      const { port, records } = await startProxy();
      expect(await openTunnel(port, authority)).toMatch(/^HTTP\/1\.1 400 .*The destination must be/s);
      expect(records).toEqual([]);
    },
  );

  it('names an IPv6 address without its brackets', async () => {
    const { port, records } = await startProxy({ findRoute: () => ({ violation: 'Not here.' }) });
    expect(await openTunnel(port, '[FD00::1]:443')).toMatch(/^HTTP\/1\.1 403 .*Not here\.\n$/s);
    expect(records).toMatchObject([{ host: 'fd00::1', port: 443, verdict: 'refused', reason: 'Not here.' }]);
  });

  it('is recorded as failed if the server does not accept it', async () => {
    const { port, records } = await startProxy({ findRoute: () => ({ address: '127.0.0.9' }) });
    expect(await openTunnel(port, 'shop.test:1')).toMatch(/^HTTP\/1\.1 502 .*Not reachable\.\n$/s);
    expect(records).toMatchObject([{ verdict: 'failed', reason: expect.stringContaining('ECONNREFUSED') }]);
  });

  it.each(['destroy', 'resetAndDestroy'] as const)('ends at the server if the client leaves: %s', async (leave) => {
    const ended = Promise.withResolvers<void>();
    const origin = await listen(createTcpServer((socket) => void socket.resume().once('close', () => ended.resolve())));
    const { port } = await startProxy();
    const socket = connect(port, '127.0.0.1');
    socket.write(`CONNECT shop.test:${origin} HTTP/1.1\r\n\r\n`);
    await once(socket, 'data');
    socket[leave]();
    await ended.promise;
  });
});

describe('an upstream proxy', () => {
  const credentials = `Basic ${Buffer.from('us@er:p:ss').toString('base64')}`;

  async function startUpstream(status: number) {
    const asked: (string | undefined)[][] = [];
    const server = createServer((incoming, response) => {
      asked.push([incoming.method, incoming.url, incoming.headers['proxy-authorization']]);
      response.end('from upstream');
    });
    server.on('connect', (incoming: IncomingMessage, socket: Socket) => {
      asked.push([incoming.method, incoming.url, incoming.headers['proxy-authorization']]);
      socket.end(`HTTP/1.1 ${status} x\r\n\r\nfirst bytes`);
    });
    const upstream = await listen(server);
    return { asked, upstreamProxy: new URL(`http://us%40er:p%3Ass@127.0.0.1:${upstream}`) };
  }

  it('gets whole URLs and tunnels, with the credentials of its address', async () => {
    const { asked, upstreamProxy } = await startUpstream(200);
    const { port } = await startProxy({ findRoute: () => ({ upstreamProxy }) });
    expect((await send(port, 'http://shop.test/a?b')).body).toBe('from upstream');
    expect(await openTunnel(port, 'shop.test:443')).toContain('first bytes');
    expect(await openTunnel(port, '[fd00::1]:443')).toContain('first bytes');
    expect(asked).toEqual([
      ['GET', 'http://shop.test/a?b', credentials],
      ['CONNECT', 'shop.test:443', credentials],
      ['CONNECT', '[fd00::1]:443', credentials],
    ]);
  });

  it('that refuses a tunnel is recorded with its status', async () => {
    const { upstreamProxy } = await startUpstream(403);
    const { port, records } = await startProxy({ findRoute: () => ({ upstreamProxy }) });
    expect(await openTunnel(port, 'shop.test:443')).toMatch(/^HTTP\/1\.1 502 /);
    expect(records).toMatchObject([{ verdict: 'failed', reason: 'The upstream proxy answered with status 403.' }]);
  });
});
