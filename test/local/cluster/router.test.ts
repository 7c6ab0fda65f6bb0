import { Agent } from 'node:http';
import type { Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { ZoneOf, aWorld, eventually } from './a-cluster.ts';

/** An app that says who it is, repeats what it is sent, and, as most, ends at once when it is told to end. */
const app = (word: string): string => `
import { createServer } from 'node:http';
import { createHash, randomUUID } from 'node:crypto';
const id = randomUUID();
const server = createServer((request, response) => {
  const { url } = request;
  if (url === '/slow') return setTimeout(() => response.end('${word}'), 1500);
  if (url === '/refuse') return response.writeHead(401).end();
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

async function aZone(options: { replicas?: number } = {}): Promise<ZoneOf> {
  const world = await aWorld();
  const zone = new ZoneOf(world);
  await zone.deploy(await world.build(await world.app(app('one'))), options);
  return zone;
}

it('replaces a version without dropping a request, kept connections and slow answers included', async () => {
  const zone = await aZone();
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  onTestFinished(() => agent.destroy());
  const next = await zone.world.build(await zone.world.app(app('two')));
  const answers: string[] = [];
  let hammering = true;
  const hammer = async (asked: Parameters<ZoneOf['ask']>[0]): Promise<void> => {
    while (hammering) {
      const { status, body } = await zone.ask(asked);
      answers.push(`${status} ${body}`);
    }
  };
  const hammers = [
    hammer({}),
    hammer({}),
    ...Array.from({ length: 8 }, async () => await hammer({ agent })),
    hammer({ path: '/echo', method: 'POST', body: 'two', agent }),
  ];
  const slow = zone.ask({ path: '/slow' });
  await eventually(async () => expect(answers.length).toBeGreaterThan(20));
  await zone.replace(next);
  await eventually(async () => expect(answers.at(-1)).toBe('200 two'));
  hammering = false;
  await Promise.all(hammers);
  expect(await slow).toMatchObject({ status: 200, body: 'one' });
  expect(answers).toContain('200 one');
  expect(answers.filter((answer) => !['200 one', '200 two'].includes(answer))).toEqual([]);
});

it('takes more requests at once than there are spare lines', async () => {
  const zone = await aZone();
  const answers = await Promise.all(Array.from({ length: 200 }, async () => await zone.ask()));
  expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
});

it('visitors who leave before they are answered use nothing up', async () => {
  const zone = await aZone();
  for (let visitor = 0; visitor < 40; visitor += 1) {
    const request = zone.send({ path: '/stream' }).on('error', () => {});
    request.end();
    await new Promise((resolve) => request.once('socket', (socket: Socket) => socket.once('connect', resolve)));
    request.destroy();
  }
  expect(await zone.ask()).toMatchObject({ status: 200 });
});

it('passes bodies on in both ways', async () => {
  const zone = await aZone();
  const body = 'x'.repeat(3 * 1024 * 1024);
  const answered = await zone.ask({ path: '/echo', method: 'POST', body });
  expect(answered.status).toBe(200);
  expect(answered.body === body).toBe(true);
});

it('an app may answer before it has the whole request', async () => {
  const zone = await aZone();
  const request = zone.send({ path: '/refuse', method: 'POST' }).on('error', () => {});
  onTestFinished(() => void request.destroy());
  request.flushHeaders();
  const status = await new Promise((resolve) => request.once('response', (response) => resolve(response.statusCode)));
  expect(status).toBe(401);
});

it('passes an answer on while it is still being written', async () => {
  const zone = await aZone();
  const request = zone.send({ path: '/stream' }).on('error', () => {});
  onTestFinished(() => void request.destroy());
  const first = await new Promise<string>((resolve) => {
    request.once('response', (response) => response.once('data', (chunk: Buffer) => resolve(chunk.toString())));
    request.end();
  });
  expect(first).toBe('first ');
});

it("passes headers on, but for those of the connection, and adds the visitor's", async () => {
  const zone = await aZone();
  const { body } = await zone.ask({
    path: '/headers',
    headers: { 'x-mine': 'yes', 'x-hop': 'no', connection: 'x-hop' },
  });
  const seen = JSON.parse(body) as Record<string, string>;
  expect(seen).toMatchObject({ 'x-mine': 'yes', 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': 'http' });
  expect(seen['host']).toMatch(/^hello-rc\.localhost:\d+$/);
  expect(seen).not.toHaveProperty('x-hop');
  expect((await zone.ask()).headers).toMatchObject({ 'set-cookie': ['a=1', 'b=2'] });
});

it('keeps the connection of a visitor open for the next request', async () => {
  const zone = await aZone();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  await zone.ask({ agent });
  const request = zone.send({ agent });
  request.end();
  await new Promise((resolve) => request.once('response', resolve));
  expect(request.reusedSocket).toBe(true);
});

it('carries WebSockets', async () => {
  const zone = await aZone();
  const request = zone.send({
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

it('asks the replicas of a zone in turn', async () => {
  const zone = await aZone({ replicas: 2 });
  const ids = await Promise.all(Array.from({ length: 6 }, async () => (await zone.ask({ path: '/id' })).body));
  expect(new Set(ids).size).toBe(2);
});

it('an address that nobody has is not found, and names nothing of others', async () => {
  const zone = await aZone();
  const nobody = new ZoneOf(zone.world, 'nobody');
  expect(await nobody.ask()).toMatchObject({ status: 404, body: 'No environment has this address.\n' });
});

it('a port that is taken is said in one line with what to do', async () => {
  const world = await aWorld();
  const taken = Number(new URL(world.cluster.url).port);
  const again = world.startAt(taken);
  await expect(again).rejects.toThrow(
    `Port ${taken}, for the environments' addresses, is in use. Stop what uses it, or pass another --port.`,
  );
});
