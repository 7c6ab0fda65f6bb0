import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../../src/config.ts';
import { getFreePort } from '../../../src/main/process/ports.ts';
import { startHttpServer } from '../../../src/main/process/start-http-server.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { startApi } from '../../support/start-api.ts';

const ref = { namespace: 'org-acme', name: 'shop' };

it('disconnects a client that does not read, and keeps nothing for it', async () => {
  const warnings: string[] = [];
  const warn = (_fields: object, message: string): void => void warnings.push(message);
  const api = await startApi({
    role: 'member',
    streamHeartbeatMs: 20,
    streamStallMs: 100,
    config: { quotas: { ...loadConfig({}).quotas, streamsPerUser: 1 } },
    log: { info: () => {}, warn, error: warn },
  });
  await api.store.create(ProductKind, { metadata: ref, spec: { repos: [], delivery: { zones: [] } } });
  const port = await getFreePort();
  const server = await startHttpServer(api.app, { port, host: '127.0.0.1' });
  const socket = connect(port, '127.0.0.1');
  onTestFinished(async () => {
    socket.destroy();
    await server.stop(0);
  });
  const lost = once(socket, 'close');
  const token = await api.tokenFor('member');
  socket.on('error', () => undefined);
  socket.write(
    `GET /api/v1/me/stream?topics=products:acme HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`,
  );
  await once(socket, 'readable');
  socket.pause();
  const status = async (): Promise<number> => (await api.request('/v1/me/stream?topics=waiting')).status;
  expect(await status()).toBe(429);
  // Each change is larger than the buffers of the connection take at once.
  for (let change = 0; warnings.length === 0; change += 1) {
    const deletionMessage = String(change).repeat(500_000);
    await api.store.updateStatus(ProductKind, ref, () => ({ deletionMessage }));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(warnings).toEqual(['Event stream dropped: the client does not read']);
  expect(await status()).toBe(200);
  socket.resume();
  await lost;
});
