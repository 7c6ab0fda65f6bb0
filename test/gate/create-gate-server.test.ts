import { type AddressInfo, connect, createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createGateServer } from '../../src/gate/create-gate-server.ts';

/** Starts a gate in front of an app that keeps what it receives. The visitor is Ada. */
async function startGate() {
  let received = '';
  const app = createServer((connection) => {
    connection.on('data', (bytes: Buffer) => (received += bytes.toString('latin1'))).on('error', () => {});
  });
  const auth = { authorize: async () => ({ user: 'ada' }), forwardToService: () => {} };
  const appPort = await listen(app);
  const gate = createGateServer(() => ({
    connect: async () => connect(appPort, '127.0.0.1'),
    forwardAuth: { auth, zone: 'shop-rc' },
  }));
  const gatePort = await listen(gate);
  const send = (bytes: string): void => {
    const client = connect(gatePort, '127.0.0.1', () => client.write(bytes)).on('error', () => {});
    onTestFinished(() => void client.destroy());
  };
  return { send, read: () => received };
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
