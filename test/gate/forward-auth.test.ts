import { type IncomingMessage, createServer, request as sendRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createForwardAuth } from '../../src/gate/forward-auth.ts';

const publicUrl = 'http://service.example';
const toOrigin = (host: string): string => `https://${host}`;

async function startService(status: number, answer: Record<string, string> = {}) {
  const received: (Record<string, unknown> & { url: string | undefined })[] = [];
  const server = createServer(({ url, headers: { cookie, host, ...headers } }, response) => {
    received.push({ url, cookie, host, zoneHost: headers['x-service-zone-host'], user: headers['x-service-user'] });
    response.writeHead(status, answer).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const serviceUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { received, auth: createForwardAuth({ serviceUrl, publicUrl, toOrigin }), serviceUrl };
}

const createRequest = (headers: IncomingMessage['headers'] = {}): IncomingMessage =>
  ({ method: 'GET', url: '/page?one=1', headers: { host: 'hello-rc.localhost', ...headers } }) as IncomingMessage;

it('asks the service with the cookie of the request', async () => {
  const { auth, received } = await startService(204, { 'x-service-user': 'user-1' });
  const cookie = 'svc_zone_session=one';
  expect(await auth.authorize(createRequest({ cookie }), 'hello-rc')).toEqual({ user: 'user-1' });
  expect(received).toMatchObject([{ url: '/api/v1/auth/zone-access?zone=hello-rc', cookie }]);
});

it.each([
  [204, {}],
  [200, { 'x-service-user': 'user-1' }],
  [302, { 'x-service-user': 'user-1', location: '/elsewhere' }],
])('answers 503 when the service answers %i without naming a user as it should', async (status, headers) => {
  const { auth } = await startService(status, headers);
  expect(await auth.authorize(createRequest(), 'hello-rc')).toMatchObject({ status: 503 });
});

it('redirects page requests without a session to the sign-in page', async () => {
  const { auth } = await startService(401);
  expect(await auth.authorize(createRequest({ accept: 'text/html' }), 'hello-rc')).toMatchObject({
    status: 302,
    location:
      'http://service.example/api/v1/auth/zone-sign-in?zone=hello-rc&to=https%3A%2F%2Fhello-rc.localhost%2Fpage%3Fone%3D1',
  });
});

it.each([
  [401, 401],
  [403, 403],
  [500, 503],
])('maps the status %i of the service to %i', async (serviceStatus, status) => {
  const { auth } = await startService(serviceStatus);
  expect(await auth.authorize(createRequest(), 'hello-rc')).toMatchObject({ status });
});

it('answers 503 when the service is unreachable', async () => {
  const auth = createForwardAuth({ serviceUrl: 'http://127.0.0.1:1', publicUrl, toOrigin });
  expect(await auth.authorize(createRequest(), 'hello-rc')).toMatchObject({ status: 503 });
});

it('forwards paths below its own prefix only, after the dots in them are resolved', async () => {
  const { auth, received, serviceUrl } = await startService(200);
  const gateway = createServer(auth.forwardToService);
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void gateway.close());
  const { port } = gateway.address() as AddressInfo;
  const get = async (path: string): Promise<number | undefined> =>
    await new Promise((resolve, reject) => {
      const headers = { host: 'hello-rc.localhost', cookie: 'svc_zone_browser=one', 'x-service-user': 'root' };
      const outgoing = sendRequest({ host: '127.0.0.1', port, path, headers, agent: false }, (response) => {
        resolve(response.resume().statusCode);
      });
      outgoing.on('error', reject).end();
    });
  const outside = [
    '/.service/../api/v1/me',
    '/.service/%2e%2e/livez',
    '/.service\\..\\livez',
    '/.service/x/../../livez',
  ];
  for (const path of outside) expect(await get(path), path).toBe(404);
  expect(await get('/.service/sign-in?ticket=one')).toBe(200);
  expect(received).toEqual([
    {
      url: '/.service/sign-in?ticket=one',
      cookie: 'svc_zone_browser=one',
      // A proxy in front of the service selects the service by this host.
      host: new URL(serviceUrl).host,
      zoneHost: 'hello-rc.localhost',
      user: undefined,
    },
  ]);
});
