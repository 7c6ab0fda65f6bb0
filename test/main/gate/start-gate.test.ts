import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, request as sendRequest, type RequestOptions } from 'node:http';
import { type AddressInfo, connect, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { readGateSettings } from '../../../src/main/gate/read-gate-settings.ts';
import { startGate } from '../../../src/main/gate/start-gate.ts';
import { reservePort } from '../../support/servers/reserve-ports.ts';

const session = 'svc_zone_session=valid';
const webSocket = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };

async function listen(server: Server, port = 0): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    if ('closeAllConnections' in server) (server.closeAllConnections as () => void)();
  });
  return (server.address() as AddressInfo).port;
}

/** Starts a server that authorizes requests as the API does. */
const startService = async (): Promise<number> =>
  await listen(
    createServer(({ headers, url }, response) => {
      if (url?.startsWith('/.service/')) return void response.end(`service ${String(headers['x-service-zone-host'])}`);
      if (!headers.cookie?.includes(session)) return void response.writeHead(401).end();
      response.writeHead(204, { 'x-service-user': 'user-1' }).end();
    }),
  );

/** Starts an app that tells what it receives, and keeps the paths of its requests. */
async function startApp(port?: number) {
  const paths: string[] = [];
  const events: string[] = [];
  const server = createServer((request, response) => {
    paths.push(request.url ?? '');
    if (request.url === '/echo') return request.pipe(response);
    if (request.url === '/endless') {
      response.write('first');
      return void request.on('close', () => events.push('closed'));
    }
    response.end(JSON.stringify(request.headers));
  });
  server.on('upgrade', (request, socket: Socket) => {
    paths.push(request.url ?? '');
    socket.on('error', () => {});
    if (request.url !== '/socket') {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nno');
      // An app that keeps the connection open answers the next request on it.
      return void socket.on('data', (chunk: Buffer) => paths.push(chunk.toString().split(' ')[1] ?? ''));
    }
    socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\n\r\n');
    socket.pipe(socket);
  });
  const countConnections = promisify(server.getConnections.bind(server));
  return { paths, events, countConnections, port: await listen(server, port) };
}

async function startTestGate(ports: { app?: number; api?: number } = {}) {
  const away = { paths: [], events: [], countConnections: async () => 0 };
  const app = ports.app === undefined ? await startApp() : { ...away, port: ports.app };
  const apiUrl = `http://127.0.0.1:${ports.api ?? (await startService())}`;
  const settings = readGateSettings({
    PORT: '0',
    ZONE: 'shop-rc',
    ZONE_ADDRESS: 'https://shop-rc.example.com:8443',
    APP_URL: `http://127.0.0.1:${app.port}`,
    API_URL: apiUrl,
    PUBLIC_URL: 'https://delivery.example.com',
    SHUTDOWN_DELAY_SECONDS: '0',
  });
  const warnings: string[] = [];
  const gate = await startGate(settings, { warn: (_: unknown, message?: string) => void warnings.push(message ?? '') });
  onTestFinished(gate.stop);
  const send = (path: string, options: RequestOptions = {}) =>
    sendRequest({ host: '127.0.0.1', port: gate.port, path, agent: false, ...options });
  const get = async (path: string, headers: IncomingHttpHeaders = {}) => {
    const request = send(path, { headers });
    request.end();
    const [response] = await once(request, 'response');
    return { status: response.statusCode as number, headers: response.headers, body: await text(response) };
  };
  return { app, gate, send, get, warnings };
}

it('forwards a visitor with a session, names the user and keeps what belongs to the service', async () => {
  const { get } = await startTestGate();
  const { status, body } = await get('/', {
    host: 'shop.example.com',
    cookie: `theme=dark; ${session}`,
    'x-service-user': 'root',
    x_service_user: 'root',
    'x-forwarded-for': '192.0.2.1',
    connection: 'close, x-service-user',
  });
  expect(status).toBe(200);
  const received = JSON.parse(body) as Record<string, string>;
  expect(received).toMatchObject({ host: 'shop.example.com', cookie: 'theme=dark', 'x-service-user': 'user-1' });
  expect(received['x-forwarded-for']).toBe('192.0.2.1');
  expect(received).not.toHaveProperty('x_service_user');
});

it('redirects a page without a session to the address that the zone has for visitors, and rejects the rest', async () => {
  const { get, app, send } = await startTestGate();
  const page = await get('/a?b=1', { host: 'shop.example.com', accept: 'text/html' });
  expect(page.status).toBe(302);
  const location = new URL(page.headers.location ?? '');
  expect(location.origin + location.pathname).toBe('https://delivery.example.com/api/v1/auth/zone-sign-in');
  expect(location.searchParams.get('to')).toBe('https://shop.example.com:8443/a?b=1');
  expect((await get('/', { cookie: 'svc_zone_session=forged', 'x-service-user': 'user-1' })).status).toBe(401);
  const upgrade = send('/socket', { headers: webSocket });
  upgrade.end();
  const [rejected] = await once(upgrade, 'response');
  expect(rejected.statusCode).toBe(401);
  expect(app.paths).toEqual([]);
});

it('forwards the path of the service to the service, without a session', async () => {
  const { get, app } = await startTestGate();
  const { body } = await get('/.service/sign-in?ticket=one', { host: 'shop.example.com' });
  expect(body).toBe('service shop.example.com');
  expect(app.paths).toEqual([]);
});

it('fails closed while the API is away, and says so in its log', async () => {
  const { get, app, warnings } = await startTestGate({ api: await reservePort() });
  expect((await get('/', { cookie: session })).status).toBe(503);
  expect((await get('/.service/sign-in', { cookie: session })).status).toBe(503);
  expect([app.paths, warnings]).toEqual([[], ['the API does not authorize requests']]);
});

it('answers 503 while the app is away, and waits for one that is just being replaced', async () => {
  const port = await reservePort();
  const { get } = await startTestGate({ app: port });
  expect(await get('/', { cookie: session })).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  const waiting = get('/', { cookie: session });
  await startApp(port);
  expect((await waiting).status).toBe(200);
});

it('streams in both directions, and ends the request to the app when the visitor leaves', async () => {
  const { send, app } = await startTestGate();
  const echo = send('/echo', { method: 'POST', headers: { cookie: session } });
  echo.write('one');
  const [response] = await once(echo, 'response');
  expect(String((await once(response, 'data'))[0])).toBe('one');
  echo.end('two');
  expect(await text(response)).toBe('two');
  const endless = send('/endless', { headers: { cookie: session } });
  endless.end();
  await once(endless, 'response');
  endless.on('error', () => {}).destroy();
  await expect.poll(() => app.events).toEqual(['closed']);
});

it('keeps no connection to the app for a visitor who leaves before the API answers', async () => {
  const held: (() => void)[] = [];
  const service = createServer((_, response) => {
    const answer = () => void response.writeHead(204, { 'x-service-user': 'user-1' }).end();
    if (held.length === 0) held.push(answer);
    else answer();
  });
  const { send, get, app } = await startTestGate({ api: await listen(service) });
  const left = send('/endless', { headers: { cookie: session } });
  left.on('error', () => {}).end();
  await expect.poll(() => held.length).toBe(1);
  left.destroy();
  // The gate learns of it a moment later; if it is even later, it ends the connection that it has opened.
  await pause(50);
  held[0]?.();
  expect((await get('/', { cookie: session, connection: 'close' })).status).toBe(200);
  await expect.poll(async () => await app.countConnections()).toBe(0);
});

it('forwards WebSockets', async () => {
  const { send } = await startTestGate();
  const request = send('/socket', { headers: { ...webSocket, cookie: session } });
  request.end();
  const [answer, socket] = (await once(request, 'upgrade')) as [{ statusCode: number }, Socket];
  expect(answer.statusCode).toBe(101);
  socket.write('hello');
  expect(String((await once(socket, 'data'))[0])).toBe('hello');
  socket.destroy();
});

it('passes nothing on after an app that declines to upgrade, because the next request may be of another visitor', async () => {
  const { gate, app } = await startTestGate();
  const socket = connect(gate.port, '127.0.0.1');
  const lines = Object.entries({ host: 'shop.example.com', cookie: session, ...webSocket });
  const head = lines.map(([name, value]) => `${name}: ${value}`).join('\r\n');
  socket.write(`GET /no-socket HTTP/1.1\r\n${head}\r\n\r\n`);
  await once(socket, 'data');
  socket.on('error', () => {}).write('GET /secret HTTP/1.1\r\nhost: shop.example.com\r\n\r\n');
  await once(socket.resume(), 'close');
  expect(app.paths).toEqual(['/no-socket']);
});

it('upgrades to nothing but a WebSocket, because the gate would not see the requests of other protocols', async () => {
  const { send } = await startTestGate();
  const request = send('/', { headers: { cookie: session, connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c' } });
  request.end();
  const [response] = await once(request, 'response');
  expect(response.statusCode).toBe(200);
  expect(JSON.parse(await text(response))).not.toHaveProperty('upgrade');
});

it('lets requests finish that are running when it stops', async () => {
  const { send, gate } = await startTestGate();
  const echo = send('/echo', { method: 'POST', headers: { cookie: session } });
  echo.write('one');
  const [response] = await once(echo, 'response');
  const stopped = gate.stop();
  echo.end(' two');
  expect(await text(response)).toBe('one two');
  await stopped;
  await expect(once(send('/').end(), 'response')).rejects.toThrow('ECONNREFUSED');
});
