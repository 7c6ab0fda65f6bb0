import { Agent, request } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createRouter } from '../../../src/emulators/cluster/router.ts';
import { expect, it, onTestFinished } from 'vitest';
import { DeployedZone, startClusterFixture, eventually } from './cluster-fixture.ts';

/** An app that identifies itself and echoes requests. Like most apps, it exits at once on SIGTERM. */
const app = (word: string): string => `
import { createServer } from 'node:http';
import { createHash, randomUUID } from 'node:crypto';
const id = randomUUID();
const server = createServer((request, response) => {
  const { url } = request;
  if (url === '/slow') return setTimeout(() => response.end('${word}'), 1500);
  if (url === '/unauthorized') return response.writeHead(401).end();
  if (url === '/echo') return request.pipe(response);
  if (url === '/stream') return void response.write('first ');
  if (url === '/id') return response.end(id);
  if (url === '/headers') return response.end(JSON.stringify(request.headers));
  response.setHeader('set-cookie', ['a=1', 'b=2']);
  response.end('${word}');
});
server.on('upgrade', (request, socket) => {
  const accept = createHash('sha1').update(request.headers['sec-websocket-key'] + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11').digest('base64');
  socket.write('HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\nSec-WebSocket-Accept: ' + accept + '\\r\\n\\r\\n');
  socket.pipe(socket);
});
server.listen(process.env.PORT);
`;

async function startZone(options: { replicas?: number } = {}): Promise<DeployedZone> {
  const fixture = await startClusterFixture();
  const zone = new DeployedZone(fixture);
  await zone.deploy(await fixture.buildImage(await fixture.createAppRepo(app('one'))), options);
  return zone;
}

it('replaces a version without dropping a request, including keep-alive connections and slow responses', async () => {
  const zone = await startZone();
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  onTestFinished(() => agent.destroy());
  const next = await zone.fixture.buildImage(await zone.fixture.createAppRepo(app('two')));
  const answers: string[] = [];
  let isLoading = true;
  const sendLoad = async (options: Parameters<DeployedZone['request']>[0]): Promise<void> => {
    while (isLoading) {
      const { status, body } = await zone.request(options);
      answers.push(`${status} ${body}`);
    }
  };
  const loads = [
    sendLoad({}),
    sendLoad({}),
    ...Array.from({ length: 8 }, async () => await sendLoad({ agent })),
    sendLoad({ path: '/echo', method: 'POST', body: 'two', agent }),
  ];
  const slow = zone.request({ path: '/slow' });
  await eventually(async () => expect(answers.length).toBeGreaterThan(20));
  await zone.replace(next);
  await eventually(async () => expect(answers.at(-1)).toBe('200 two'));
  isLoading = false;
  await Promise.all(loads);
  expect(await slow).toMatchObject({ status: 200, body: 'one' });
  expect(answers).toContain('200 one');
  expect(answers.filter((answer) => !['200 one', '200 two'].includes(answer))).toEqual([]);
});

it('serves more concurrent requests than it has idle connections', async () => {
  const zone = await startZone();
  const answers = await Promise.all(Array.from({ length: 200 }, async () => await zone.request()));
  expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
});

it('releases the connections of clients that disconnect early', async () => {
  const zone = await startZone();
  for (let count = 0; count < 40; count += 1) {
    const request = zone.sendRequest({ path: '/stream' }).on('error', () => {});
    request.end();
    await new Promise((resolve) => request.once('socket', (socket: Socket) => socket.once('connect', resolve)));
    request.destroy();
  }
  expect(await zone.request()).toMatchObject({ status: 200 });
});

it('forwards request and response bodies', async () => {
  const zone = await startZone();
  const body = 'x'.repeat(3 * 1024 * 1024);
  const response = await zone.request({ path: '/echo', method: 'POST', body });
  expect(response.status).toBe(200);
  expect(response.body === body).toBe(true);
});

it('forwards a response that an app sends before it has read the whole request', async () => {
  const zone = await startZone();
  const request = zone.sendRequest({ path: '/unauthorized', method: 'POST' }).on('error', () => {});
  onTestFinished(() => void request.destroy());
  request.flushHeaders();
  const status = await new Promise((resolve) => request.once('response', (response) => resolve(response.statusCode)));
  expect(status).toBe(401);
});

it('streams responses', async () => {
  const zone = await startZone();
  const request = zone.sendRequest({ path: '/stream' }).on('error', () => {});
  onTestFinished(() => void request.destroy());
  const first = await new Promise<string>((resolve) => {
    request.once('response', (response) => response.once('data', (chunk: Buffer) => resolve(chunk.toString())));
    request.end();
  });
  expect(first).toBe('first ');
});

it('forwards end-to-end headers and adds the forwarded headers of the client', async () => {
  const zone = await startZone();
  const { body } = await zone.request({
    path: '/headers',
    headers: { 'x-mine': 'yes', 'x-hop': 'no', connection: 'x-hop' },
  });
  const received = JSON.parse(body) as Record<string, string>;
  expect(received).toMatchObject({ 'x-mine': 'yes', 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': 'http' });
  expect(received['host']).toMatch(/^hello-rc\.localhost:\d+$/);
  expect(received).not.toHaveProperty('x-hop');
  expect((await zone.request()).headers).toMatchObject({ 'set-cookie': ['a=1', 'b=2'] });
});

it('never shows the app of a public zone the cookies that remain of its sign-in', async () => {
  const zone = await startZone();
  const cookie = 'svc_zone_session=secret; own=1; svc_zone_browser=secret';
  const { body } = await zone.request({ path: '/headers', headers: { cookie, 'x-service-user': 'root' } });
  const received = JSON.parse(body) as Record<string, string>;
  expect(received['cookie']).toBe('own=1');
  expect(received).not.toHaveProperty('x-service-user');
});

it('keeps client connections alive', async () => {
  const zone = await startZone();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  await zone.request({ agent });
  const request = zone.sendRequest({ agent });
  request.end();
  await new Promise((resolve) => request.once('response', resolve));
  expect(request.reusedSocket).toBe(true);
});

it('forwards WebSockets', async () => {
  const zone = await startZone();
  const request = zone.sendRequest({
    headers: {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      'sec-websocket-version': '13',
    },
  });
  const echoed = await new Promise<string>((resolve, reject) => {
    request.once('error', reject);
    request.once('upgrade', (response, socket) => {
      onTestFinished(() => void socket.destroy());
      expect(response.headers['sec-websocket-accept']).toBe('s3pPLMBiTxaQ9kYGzzhZRbK+xOo=');
      socket.once('data', (chunk: Buffer) => resolve(chunk.toString()));
      socket.write('hello');
    });
    request.end();
  });
  expect(echoed).toBe('hello');
});

it('distributes requests across the replicas of a zone', async () => {
  const zone = await startZone({ replicas: 2 });
  const ids = await Promise.all(Array.from({ length: 6 }, async () => (await zone.request({ path: '/id' })).body));
  expect(new Set(ids).size).toBe(2);
});

it('404: an unknown address, without naming other zones', async () => {
  const zone = await startZone();
  const unknown = new DeployedZone(zone.fixture, 'unknown');
  expect(await unknown.request()).toMatchObject({ status: 404, body: 'No zone has this address.\n' });
});

it('explains in one line that the port is in use', async () => {
  const fixture = await startClusterFixture();
  const taken = Number(new URL(fixture.cluster.url).port);
  const second = fixture.startAt(taken);
  await expect(second).rejects.toThrow(
    `Port ${taken}, for the zones' addresses, is in use. Stop what uses it, or pass another --port.`,
  );
});

it('421: serves no host of a page that reached the port by DNS rebinding', async () => {
  const asked: string[] = [];
  const router = createRouter(
    (host) => void asked.push(host),
    (host) => host.endsWith('.svc.localhost'),
  );
  await new Promise<void>((resolve) => router.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void router.close());
  const { port } = router.address() as AddressInfo;
  const sendTo = async (host: string, headers: Record<string, string> = {}) =>
    await new Promise<number | undefined>((resolve) => {
      const sent = request({ port, host: '127.0.0.1', headers: { host, ...headers } });
      sent.on('response', (response) => resolve(response.resume().statusCode)).on('error', () => resolve(undefined));
      sent.end();
    });
  expect(await sendTo('hello.hello-rc.evil.test')).toBe(421);
  expect(await sendTo('evil.test', { connection: 'Upgrade', upgrade: 'websocket' })).toBe(421);
  expect(await sendTo('hello.hello-rc.svc.localhost')).toBe(404);
  expect(asked).not.toContain('hello.hello-rc.evil.test');
});
