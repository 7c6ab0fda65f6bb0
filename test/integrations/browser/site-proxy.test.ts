import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { serveSiteProxies, type SiteProxy } from '../../../src/integrations/browser/site-proxy.ts';
import { startSite } from '../../support/servers/test-sites.ts';

/** Serves proxies through a socket that listens on every loopback address, as in the network of the browser. */
async function start() {
  const sockets: Socket[] = [];
  const listener = createServer((socket) => void sockets.push(socket));
  listener.listen(0, '0.0.0.0');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  const open = serveSiteProxies(listener, port);
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    listener.close();
  });
  return { open, port, sockets };
}

async function get(proxy: SiteProxy, path: string): Promise<{ status: number | undefined; body: string }> {
  const { hostname, port } = new URL(proxy.url);
  const sent = request({ host: hostname, port, path, agent: false }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode, body: await text(response) };
}

async function requestTunnel(proxy: SiteProxy, authority: string): Promise<string> {
  const { hostname, port } = new URL(proxy.url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n\r\n`);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  return answer.toString().split('\r\n')[0] ?? '';
}

it('reaches only the host and port of the site, at the given address', async () => {
  const { open } = await start();
  const { port } = await startSite({ '/': 'Hello' });
  const proxy = open({ url: `http://shop.test:${port}/start`, address: '127.0.0.1' });
  expect(await get(proxy, `http://shop.test:${port}/`)).toEqual({ status: 200, body: 'Hello' });
  expect(await requestTunnel(proxy, `shop.test:${port}`)).toContain('200');
  for (const other of [`http://other.test:${port}/`, `http://127.0.0.1:${port}/`, 'http://shop.test/'])
    expect(await get(proxy, other)).toEqual({ status: 403, body: 'Not reachable.' });
  expect(await requestTunnel(proxy, `other.test:${port}`)).toContain('403');
  expect(proxy.connectionError()).toBeUndefined();
});

it('keeps the sites of two proxies apart', async () => {
  const { open } = await start();
  const { port } = await startSite({ '/': 'Hello' });
  const [one, two] = ['one', 'two'].map((name) => open({ url: `http://${name}.test:${port}`, address: '127.0.0.1' }));
  expect(await get(one as SiteProxy, `http://one.test:${port}/`)).toMatchObject({ status: 200 });
  expect(await get(two as SiteProxy, `http://one.test:${port}/`)).toMatchObject({ status: 403 });
});

it('allows a site of the default ports to redirect between http and https, and no other to change its origin', async () => {
  const { open } = await start();
  const listAllowed = (url: string): string[] => {
    const proxy = open({ url, address: '127.0.0.1' });
    const others = [
      'http://shop.test/a',
      'https://shop.test/a',
      'http://shop.test:81/',
      'https://x.shop.test/',
      'none',
    ];
    return others.filter((other) => proxy.allows(other));
  };
  expect(listAllowed('https://shop.test')).toEqual(['http://shop.test/a', 'https://shop.test/a']);
  expect(listAllowed('http://shop.test')).toEqual(['http://shop.test/a', 'https://shop.test/a']);
  expect(listAllowed('http://shop.test:81')).toEqual(['http://shop.test:81/']);
});

it('sends no plain request to a site that has only https', async () => {
  const { open } = await start();
  const { port, requests } = await startSite({ '/': 'Hello' });
  const proxy = open({ url: `https://shop.test:${port}`, address: '127.0.0.1' });
  expect(await get(proxy, `http://shop.test:${port}/`)).toMatchObject({ status: 403 });
  expect(await requestTunnel(proxy, `shop.test:${port}`)).toContain('200');
  expect(requests).toEqual([]);
});

it('returns the first of several errors of connections', async () => {
  const { open } = await start();
  const site = createServer((socket) => socket.destroy());
  site.listen(0, '127.0.0.1');
  await once(site, 'listening');
  const { port } = site.address() as AddressInfo;
  const proxy = open({ url: `http://shop.test:${port}`, address: '127.0.0.1' });
  expect(await get(proxy, `http://shop.test:${port}/`)).toEqual({ status: 502, body: 'Not reachable.' });
  const first = proxy.connectionError();
  expect(first).toMatch(/hang up|ECONNRESET/);
  site.close();
  await once(site, 'close');
  expect(await get(proxy, `http://shop.test:${port}/`)).toMatchObject({ status: 502 });
  expect(proxy.connectionError()).toBe(first);
});

it('ends its connections when it is closed, and accepts none afterwards or at an address without a proxy', async () => {
  const { open, port, sockets } = await start();
  const site = await startSite({ '/': 'Hello' });
  const proxy = open({ url: `http://shop.test:${site.port}`, address: '127.0.0.1' });
  await requestTunnel(proxy, `shop.test:${site.port}`);
  expect(sockets.map(({ destroyed }) => destroyed)).toEqual([false]);
  await proxy.close();
  expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true]);
  for (const host of [new URL(proxy.url).hostname, '127.0.0.1']) {
    const socket = connect(port, host);
    await once(socket, 'close');
    expect(socket.bytesRead).toBe(0);
  }
});
