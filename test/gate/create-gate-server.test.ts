import { type AddressInfo, connect, createServer } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createGateServer } from '../../src/gate/create-gate-server.ts';
import type { AuthResult, ForwardAuth } from '../../src/gate/forward-auth.ts';

type Options = { answer?: string; isLasting?: boolean; authorize?: ForwardAuth['authorize'] };

/** Starts a gate in front of an app that keeps what it receives, and sends the answer, if any. The visitor is Ada. */
async function startGate({ answer, isLasting = false, authorize = async () => ({ user: 'ada' }) }: Options = {}) {
  let received = '';
  let returned = '';
  let hasEnded = false;
  const app = createServer((connection) => {
    connection.on('data', (bytes: Buffer) => (received += bytes.toString('latin1'))).on('error', () => {});
    connection.once('data', () => {
      if (answer !== undefined) connection.write(answer, 'latin1');
      if (answer !== undefined && !isLasting) connection.end();
    });
  });
  const auth = { authorize, forwardToService: () => {} };
  const appPort = await listen(app);
  const destination = { connect: async () => connect(appPort, '127.0.0.1'), forwardAuth: { auth, zone: 'shop-rc' } };
  const gate = createGateServer(() => destination, { recheckMs: 10 });
  const gatePort = await listen(gate);
  const send = (bytes: string): void => {
    const client = connect(gatePort, '127.0.0.1', () => client.write(bytes)).on('error', () => {});
    client.on('data', (part: Buffer) => (returned += part.toString('latin1'))).on('close', () => (hasEnded = true));
    onTestFinished(() => void client.destroy());
  };
  return { send, read: () => received, readAnswer: () => returned, hasEnded: () => hasEnded };
}

async function listen(server: ReturnType<typeof createServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

const hidden = 'GET /admin HTTP/1.1\r\nhost: shop\r\nx-service-user: root\r\n\r\n';
const chunks = `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`;

it.each([
  ['GET', `content-length: ${hidden.length}`, 'Content-Length', hidden],
  ['GET', 'transfer-encoding: chunked', 'transfer-encoding', chunks],
  ['DELETE', `content-length: ${hidden.length}`, 'close, content-length', hidden],
  ['POST', `content-length: ${hidden.length}`, 'content-length, host', hidden],
])('frames the body of a %s with %s although its Connection names %s', async (method, framing, named, body) => {
  const { send, read } = await startGate();
  send(`${method} / HTTP/1.1\r\nhost: shop\r\nconnection: ${named}\r\n${framing}\r\n\r\n${body}`);
  await expect.poll(read).toContain('/admin');
  const [head = ''] = read().toLowerCase().split('\r\n\r\n');
  expect(head.split('\r\n')).toEqual(
    expect.arrayContaining([`${method.toLowerCase()} / http/1.1`, 'host: shop', framing, 'x-service-user: ada']),
  );
});

it.each([
  ['099 Low', 502],
  ['000 None', 502],
  ['200 O\u0001K', 200],
  ['404 N\u007fo', 404],
])('outlives an app that answers with the status line %j', async (status, expected) => {
  const { send, readAnswer } = await startGate({ answer: `HTTP/1.1 ${status}\r\ncontent-length: 2\r\n\r\nok` });
  send('GET / HTTP/1.1\r\nhost: shop\r\n\r\n');
  await expect.poll(readAnswer).toMatch(expected === 502 ? /The app did not respond/ : /ok$/);
  expect(readAnswer()).toMatch(new RegExp(`^HTTP/1.1 ${expected} `));
});

it('answers for an app that switches protocols although the visitor did not ask for it', async () => {
  const answer = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n';
  const { send, readAnswer } = await startGate({ answer });
  send('GET / HTTP/1.1\r\nhost: shop\r\n\r\n');
  await expect.poll(readAnswer).toMatch(/^HTTP\/1.1 502 [^]*The app did not respond/);
});

it.each([
  ['1.1', 'chunked', '5\r\nhello\r\n0\r\n\r\n', /transfer-encoding: chunked\r\n[^]*\r\n5\r\nhello\r\n0\r\n\r\n$/i],
  ['1.0', 'chunked', '5\r\nhello\r\n0\r\n\r\n', /\r\n\r\nhello$/],
  ['1.1', 'gzip', 'hello', /transfer-encoding: chunked\r\n[^]*\r\n5\r\nhello\r\n0\r\n\r\n$/i],
  ['1.1', 'identity', 'hello', /transfer-encoding: chunked\r\n[^]*\r\n5\r\nhello\r\n0\r\n\r\n$/i],
])(
  'frames a response for a visitor with HTTP/%s, whose app sends transfer-encoding: %s',
  async (version, encoding, body, expected) => {
    const answer = `HTTP/1.1 200 OK\r\ntransfer-encoding: ${encoding}\r\n\r\n${body}`;
    const { send, readAnswer } = await startGate({ answer });
    send(`GET / HTTP/${version}\r\nhost: shop\r\n\r\n`);
    await expect.poll(readAnswer).toMatch(expected);
  },
);

const webSocket = 'connection: upgrade\r\nupgrade: websocket\r\n';

it.each([
  ['a response', '', 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: 1\n\n'],
  ['a WebSocket', webSocket, `HTTP/1.1 101 Switching Protocols\r\n${webSocket}\r\n`],
])(
  'ends %s that lasts when its visitor loses access, but not while the API is unavailable',
  async (_, headers, answer) => {
    let result: AuthResult = { user: 'ada' };
    const authorize = vi.fn<ForwardAuth['authorize']>(async () => result);
    const { send, readAnswer, hasEnded } = await startGate({ answer, isLasting: true, authorize });
    send(`GET / HTTP/1.1\r\nhost: shop\r\n${headers}\r\n`);
    await expect.poll(readAnswer).toMatch(/^HTTP\/1.1 (200|101) /);
    await expect.poll(() => authorize.mock.calls.length).toBeGreaterThan(12);
    result = { status: 503, text: 'The authorization service is unavailable.' };
    const before = authorize.mock.calls.length;
    await expect.poll(() => authorize.mock.calls.length).toBeGreaterThan(before + 2);
    expect(hasEnded()).toBe(false);
    result = { status: 403, text: 'Only people with access to the Product can open this zone.' };
    await expect.poll(hasEnded).toBe(true);
    const after = authorize.mock.calls.length;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(authorize.mock.calls.length).toBe(after);
  },
);

it('ends what lasts when the access cannot be checked, and serves on', async () => {
  let isBroken = false;
  const authorize = async (): Promise<AuthResult> => {
    if (isBroken) throw new Error('aborted');
    return { user: 'ada' };
  };
  const answer = `HTTP/1.1 101 Switching Protocols\r\n${webSocket}\r\n`;
  const { send, readAnswer, hasEnded } = await startGate({ answer, isLasting: true, authorize });
  const countAnswers = (): number => readAnswer().match(/^HTTP\/1.1 101 /gm)?.length ?? 0;
  send(`GET / HTTP/1.1\r\nhost: shop\r\n${webSocket}\r\n`);
  await expect.poll(countAnswers).toBe(1);
  isBroken = true;
  await expect.poll(hasEnded).toBe(true);
  isBroken = false;
  send(`GET / HTTP/1.1\r\nhost: shop\r\n${webSocket}\r\n`);
  await expect.poll(countAnswers).toBe(2);
});
