import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { isProductionServing } from '../../../src/clients/demo/is-production-serving.ts';

async function serve(listener: RequestListener): Promise<boolean> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = `http://shop-prod.localhost:${(server.address() as AddressInfo).port}`;
  const zones = [{ name: 'shop-prod', phase: 'Verified', address }];
  return await isProductionServing({
    name: 'r',
    spec: { version: 'v0.1.0' },
    status: { phase: 'Succeeded', zones },
  });
}

const json = (body: string): RequestListener => {
  return ({ url }, response) =>
    url === '/version' ? response.setHeader('content-type', 'application/json').end(body) : response.end('Shop');
};

it.each<[string, boolean, RequestListener]>([
  ['redirects its first page', true, (_, response) => response.writeHead(302, { location: 'https://shop' }).end()],
  ['has no first page', false, (_, response) => response.writeHead(404).end()],
  [
    'ends the connection within its first page',
    false,
    (_, response) => {
      response.write('Sh', () => response.destroy());
    },
  ],
  ['serves this version', true, json('{"version":"v0.1.0"}')],
  ['serves another version', false, json('{"version":"v0.0.9"}')],
  ['serves the version of its package', true, json('{"version":"3.2.1"}')],
  ['serves no JSON', true, json('<html>')],
])('checks an app that %s: %s', async (_, isServing, listener) => {
  expect(await serve(listener)).toBe(isServing);
});
