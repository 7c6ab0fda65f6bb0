import { type IncomingMessage, createServer, request as sendRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createForwardAuth, removeServiceHeaders } from '../../../src/emulators/cluster/forward-auth.ts';

async function startService(status: number) {
  const received: { url: string | undefined; cookie: string | undefined }[] = [];
  const server = createServer(({ url, headers }, response) => {
    received.push({ url, cookie: headers.cookie });
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const serviceUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { received, auth: createForwardAuth({ serviceUrl, publicUrl: 'http://service.example' }) };
}

const createRequest = (headers: IncomingMessage['headers'] = {}): IncomingMessage =>
  ({ method: 'GET', url: '/page?one=1', headers: { host: 'hello-rc.localhost', ...headers } }) as IncomingMessage;

it('asks the service with the cookie of the request', async () => {
  const { auth, received } = await startService(204);
  const cookie = 'svc_zone_session=one';
  expect(await auth.authorize(createRequest({ cookie }), 'hello-rc')).toEqual({ outcome: 'allowed' });
  expect(received).toEqual([{ url: '/api/v1/auth/zone-access?zone=hello-rc', cookie }]);
});

it('redirects page requests without a session to the sign-in page', async () => {
  const { auth } = await startService(401);
  expect(await auth.authorize(createRequest({ accept: 'text/html' }), 'hello-rc')).toEqual({
    outcome: 'redirect',
    url: 'http://service.example/api/v1/auth/zone-sign-in?zone=hello-rc&to=http%3A%2F%2Fhello-rc.localhost%2Fpage%3Fone%3D1',
  });
});

it.each([
  [401, 401],
  [403, 403],
  [500, 503],
])('maps the status %i of the service to %i', async (serviceStatus, status) => {
  const { auth } = await startService(serviceStatus);
  expect(await auth.authorize(createRequest(), 'hello-rc')).toMatchObject({ outcome: 'denied', status });
});

it('answers 503 when the service is unreachable', async () => {
  const auth = createForwardAuth({ serviceUrl: 'http://127.0.0.1:1', publicUrl: 'http://service.example' });
  expect(await auth.authorize(createRequest(), 'hello-rc')).toMatchObject({ outcome: 'denied', status: 503 });
});

it.each([
  ['own=1; svc_zone_session=secret', { cookie: 'own=1', accept: 'text/html' }],
  ['svc_zone_session=secret', { accept: 'text/html' }],
  ['__Host-svc_zone_session=secret; svc_zone_browser=secret; own=1', { cookie: 'own=1', accept: 'text/html' }],
])('removes the session and the user header from %s', (cookie, expected) => {
  expect(removeServiceHeaders({ cookie, accept: 'text/html', 'x-service-user': 'root' })).toEqual(expected);
});

it('forwards paths below its own prefix only, after the dots in them are resolved', async () => {
  const { auth, received } = await startService(200);
  const gateway = createServer(auth.forwardToService);
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void gateway.close());
  const { port } = gateway.address() as AddressInfo;
  const get = async (path: string): Promise<number | undefined> =>
    await new Promise((resolve, reject) => {
      const outgoing = sendRequest({ host: '127.0.0.1', port, path, agent: false }, (response) => {
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
  expect(received.map(({ url }) => url)).toEqual(['/.service/sign-in?ticket=one']);
});
