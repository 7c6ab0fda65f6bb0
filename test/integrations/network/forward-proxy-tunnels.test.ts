import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect, createServer as createTcpServer, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { listen, openTunnel, send, serve, startProxy } from './forward-proxy-fixture.ts';

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
