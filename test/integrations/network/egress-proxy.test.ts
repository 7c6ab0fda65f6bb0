import { once } from 'node:events';
import { createServer, request, type IncomingMessage } from 'node:http';
import { connect, createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { type EgressOptions, startEgressProxy } from '../../../src/integrations/network/egress-proxy.ts';
import type { ProxyRecord } from '../../../src/integrations/network/forward-proxy.ts';
import { egressViolation } from '../../../src/rules/network/egress-violation.ts';

async function startInsideServer(): Promise<{ port: number; requests: string[] }> {
  const requests: string[] = [];
  const server = createServer((incoming, response) => {
    requests.push(`${incoming.method} ${incoming.headersDistinct['host']?.join(' ')}${incoming.url}`);
    if (incoming.url === '/redirect') response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end();
    else response.end('inside');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, requests };
}

/** Starts a proxy with the real rule. Its resolver knows `public.test` and the names of the test. */
async function startProxy(options: Partial<EgressOptions> = {}) {
  const records: ProxyRecord[] = [];
  const proxy = await startEgressProxy({
    resolve: async (host) => (host === 'public.test' ? ['93.184.216.34'] : [host]),
    judge: (destination) => egressViolation([], destination),
    log: (record) => records.push(record),
    ...options,
  });
  onTestFinished(proxy.close);
  return { ...proxy, records };
}

const permissive = { judge: () => undefined };

async function get(socketPath: string, url: string): Promise<{ status: number | undefined; body: string }> {
  const [response] = (await once(request({ socketPath, path: url }).end(), 'response')) as [IncomingMessage];
  return { status: response.statusCode, body: await text(response) };
}

/** Opens a tunnel, sends a request through it and returns all that came back. */
async function tunnel(socketPath: string, authority: string): Promise<string> {
  const socket = connect(socketPath);
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n\r\n`);
  socket.once('data', () => socket.write('GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n'));
  return await text(socket);
}

const insideHosts = [
  '127.0.0.1',
  '[::ffff:127.0.0.1]',
  '[::1]',
  '0.0.0.0',
  '169.254.169.254',
  '10.0.0.1',
  '100.64.0.1',
  '[fd00:ec2::254]',
];

it.each(insideHosts)('refuses %s for requests and tunnels, and logs it', async (host) => {
  const { port, requests } = await startInsideServer();
  const { socketPath, records } = await startProxy({
    resolve: async (name) => [name.replaceAll(/^\[|\]$/g, '')],
  });
  expect((await get(socketPath, `http://${host}:${port}/`)).status).toBe(403);
  expect(await tunnel(socketPath, `${host}:${port}`)).toMatch(/^HTTP\/1\.1 403 /);
  expect(requests).toEqual([]);
  expect(records).toMatchObject([
    { kind: 'http', port, verdict: 'refused' },
    { kind: 'tunnel', port, verdict: 'refused' },
  ]);
});

it('names the host of the URL to the server, whatever host the client names', async () => {
  const { port, requests } = await startInsideServer();
  const { socketPath } = await startProxy({ ...permissive, resolve: async () => ['127.0.0.1'] });
  const sent = request({ socketPath, path: `http://judged.test:${port}/`, headers: { host: 'other.test' } });
  await text(((await once(sent.end(), 'response')) as [IncomingMessage])[0]);
  expect(requests).toEqual([`GET judged.test:${port}/`]);
});

it('reaches the inside server without the rule, so the rule is the defence', async () => {
  const { port } = await startInsideServer();
  const { socketPath, records } = await startProxy({ ...permissive, resolve: async () => ['127.0.0.1'] });
  expect(await get(socketPath, `http://metadata.test:${port}/`)).toEqual({ status: 200, body: 'inside' });
  expect(await tunnel(socketPath, `metadata.test:${port}`)).toContain('inside');
  await expect.poll(() => records).toHaveLength(2);
  expect(records).toMatchObject([
    { host: 'metadata.test', port, verdict: 'allowed', receivedBytes: 'inside'.length },
    { host: 'metadata.test', port, verdict: 'allowed', receivedBytes: expect.any(Number) },
  ]);
});

it('refuses names that resolve to inside addresses, such as those of nip.io', async () => {
  const { socketPath } = await startProxy({
    resolve: async (host) => (host.endsWith('.nip.io') ? [host.replace('.nip.io', '')] : []),
  });
  const refused = { status: 403, body: 'The host 127.0.0.1.nip.io has no public address.' };
  expect(await get(socketPath, 'http://127.0.0.1.nip.io/')).toEqual(refused);
  // A name that does not exist gets the same words.
  expect((await get(socketPath, 'http://nowhere.test/')).body).toBe('The host nowhere.test has no public address.');
});

it('connects to the address that was judged, even if the name resolves to another one afterwards', async () => {
  const { port, requests } = await startInsideServer();
  const judged: string[][] = [];
  let answers = 0;
  const { socketPath } = await startProxy({
    // The first answer is public and closed here; every later one would be inside.
    resolve: async () => [answers++ === 0 ? '127.0.0.2' : '127.0.0.1'],
    judge: ({ addresses }) => {
      judged.push([...addresses]);
      return addresses.includes('127.0.0.1') ? 'inside' : undefined;
    },
  });
  expect((await get(socketPath, `http://rebinding.test:${port}/`)).status).toBe(502);
  expect(judged).toEqual([['127.0.0.2']]);
  expect((await get(socketPath, `http://rebinding.test:${port}/`)).status).toBe(403);
  expect(requests).toEqual([]);
});

/** Requests a URL through a proxy that may be closed before it answers. */
const tryGet = async (socketPath: string, url: string) =>
  await get(socketPath, url).catch(() => ({ status: 0, body: 'closed' }));

it('looks up one name at a time, so that slow ones do not keep those of all other sandboxes waiting', async () => {
  const lookups: { host: string; end: () => void }[] = [];
  const resolve = async (host: string): Promise<string[]> => {
    const ended = Promise.withResolvers<void>();
    lookups.push({ host, end: ended.resolve });
    await ended.promise;
    return ['10.0.0.1'];
  };
  const { socketPath, close } = await startProxy({ resolve });
  const hosts = ['one.test', 'two.test', 'one.test', 'three.test'];
  const answers = hosts.map(async (host) => await tryGet(socketPath, `http://${host}/`));
  await expect.poll(() => lookups.length).toBeGreaterThan(0);
  expect((await get(socketPath, 'ftp://one.test/')).status).toBe(400);
  expect(lookups.map(({ host }) => host)).toEqual(['one.test']);
  lookups[0]?.end();
  expect([await answers[0], await answers[2]]).toMatchObject([{ status: 403 }, { status: 403 }]);
  await expect.poll(() => lookups.map(({ host }) => host)).toEqual(['one.test', 'two.test']);
  await close();
  lookups[1]?.end();
  expect([await answers[1], await answers[3]]).toMatchObject([{ body: 'closed' }, { body: 'closed' }]);
  expect(lookups).toHaveLength(2);
});

it('refuses further names while many wait to be looked up', async () => {
  const { socketPath } = await startProxy({ resolve: async () => await new Promise<string[]>(() => {}) });
  const urls = Array.from({ length: 65 }, (_, index) => `http://n${index}.test/`);
  const first = await Promise.race(urls.map(async (url) => await tryGet(socketPath, url)));
  expect(first).toEqual({ status: 403, body: expect.stringContaining('wait') });
});

it('refuses ports other than those of the web at public addresses', async () => {
  const { socketPath } = await startProxy();
  expect(await tunnel(socketPath, 'public.test:22')).toContain(
    'Port 22 of public.test is closed: only ports 80 and 443 are open.',
  );
});

it('returns redirects to the client, whose next request is judged again', async () => {
  const { port, requests } = await startInsideServer();
  const { socketPath } = await startProxy({
    resolve: async (host) => [host === 'site.test' ? '127.0.0.1' : '127.0.0.9'],
    judge: ({ host }) => (host === 'site.test' ? undefined : 'refused'),
  });
  expect((await get(socketPath, `http://site.test:${port}/redirect`)).status).toBe(302);
  expect((await get(socketPath, 'http://127.0.0.1:1/')).status).toBe(403);
  expect(requests).toEqual([`GET site.test:${port}/redirect`]);
});

it('uses an upstream proxy of the installation for requests and tunnels', async () => {
  const asked: string[] = [];
  const upstream = createServer((incoming, response) => {
    asked.push(`${incoming.method} ${incoming.url} ${incoming.headers['proxy-authorization'] ?? ''}`);
    response.end('from upstream');
  });
  upstream.on('connect', (incoming: IncomingMessage, socket: Socket) => {
    asked.push(`CONNECT ${incoming.url}`);
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok'));
  });
  upstream.listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  onTestFinished(() => void upstream.close());
  const upstreamProxy = new URL(`http://127.0.0.1:${(upstream.address() as AddressInfo).port}`);
  const { socketPath } = await startProxy({ upstreamProxy: () => upstreamProxy });
  expect((await get(socketPath, 'http://registry.test/left-pad')).body).toBe('from upstream');
  expect(await tunnel(socketPath, 'registry.test:443')).toContain('ok');
  expect(asked).toEqual(['GET http://registry.test/left-pad ', 'CONNECT registry.test:443']);
});

it('delivers all that a server sent before it closed a tunnel, also to a slow client', async () => {
  // More than the buffers of the kernel hold, so that the proxy still has a part of it when the server closes.
  const sent = Buffer.alloc(300_000, 'x');
  const closed = Promise.withResolvers<void>();
  const server = createTcpServer((socket) => void socket.resume().end(sent).once('close', closed.resolve));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { socketPath } = await startProxy(permissive);
  const socket = connect(socketPath);
  socket.write(`CONNECT 127.0.0.1:${(server.address() as AddressInfo).port} HTTP/1.1\r\n\r\n`);
  await once(socket, 'readable');
  await closed.promise;
  const received = await text(socket);
  expect(received.slice(received.indexOf('\r\n\r\n') + 4)).toHaveLength(sent.length);
});

it('rejects what is no destination, and closes with its connections', async () => {
  const { socketPath, close } = await startProxy(permissive);
  expect(await tunnel(socketPath, 'nothing')).toMatch(/^HTTP\/1\.1 400 /);
  expect((await get(socketPath, '/path')).status).toBe(400);
  const silent = createTcpServer();
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  onTestFinished(() => void silent.close());
  const socket = connect(socketPath);
  socket.write(`CONNECT 127.0.0.1:${(silent.address() as AddressInfo).port} HTTP/1.1\r\n\r\n`);
  await once(socket, 'data');
  await close();
  if (!socket.closed) await once(socket, 'close');
  await expect(get(socketPath, 'http://public.test/')).rejects.toThrow('ENOENT');
});
