import { getEventListeners, once } from 'node:events';
import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../../src/config.ts';
import { reservePort } from '../../support/servers/reserve-ports.ts';
import { startHttpServer } from '../../../src/main/process/start-http-server.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { tokenName } from '../../../api/auth/authenticate.ts';
import { ApiTokenKind } from '../../../src/rules/access/kinds.ts';
import { ReleaseKind } from '../../../src/rules/releases/kinds.ts';
import { systemNamespace } from '../../../src/rules/resource.ts';
import type { Store } from '../../../src/store/store.ts';
import { openTestStore } from '../../support/open-test-store.ts';
import { readEvents } from '../../support/read-events.ts';
import { startApi, type ApiHarness } from '../../support/start-api.ts';

const ref = { namespace: 'org-acme', name: 'shop' };

it('disconnects a client that does not read, and keeps nothing for it', async () => {
  const warnings: string[] = [];
  const warn = (_fields: object, message: string): void => void warnings.push(message);
  const api = await startApi({
    role: 'member',
    streamHeartbeatMs: 20,
    streamStallMs: 100,
    config: { quotas: { ...loadConfig({}).quotas, streamsPerUser: 1 } },
    log: { debug: () => {}, info: () => {}, warn, error: warn },
  });
  await api.store.create(ProductKind, { metadata: ref, spec: { repos: [], delivery: { zones: [] } } });
  const port = await reservePort();
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

it.each(['/v1/me/stream?topics=waiting', '/v1/orgs/acme/agentworkflowruns'])(
  'opens nothing for a HEAD of %s, whose response has no body that a client could close',
  async (path) => {
    const config = { quotas: { ...loadConfig({}).quotas, streamsPerUser: 1 } };
    const { request } = await startApi({ role: 'member', config });
    const headers = { Accept: 'text/event-stream' };
    const head = await request(path, { method: 'HEAD', headers });
    expect([head.status, head.headers.get('Content-Type'), await head.text()]).toEqual([200, 'text/event-stream', '']);
    const stream = await request(path, { headers });
    expect(stream.status).toBe(200);
    await stream.body?.cancel();
  },
);

it('sends nothing more to a client that begins to read after it was dropped', async () => {
  const dropped = Promise.withResolvers<void>();
  const warn = (): void => dropped.resolve();
  const api = await startApi({
    role: 'member',
    streamHeartbeatMs: 20,
    streamStallMs: 100,
    log: { debug: () => {}, info: () => {}, warn, error: warn },
  });
  const response = await api.request('/v1/me/stream?topics=products:acme');
  await dropped.promise;
  const { next } = readEvents(response);
  expect(await next()).toMatchObject({ event: 'relist' });
  await expect(next()).rejects.toThrow('The stream has ended.');
});

const openTopics = async ({ request }: ApiHarness) => {
  const response = await request('/v1/me/stream?topics=products:acme');
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache',
    'x-accel-buffering': 'no',
  });
  const events = readEvents(response);
  onTestFinished(async () => await events.close().catch(() => undefined));
  return events;
};

it('ends when the process shuts down, also if that had begun before', async () => {
  const shutdown = new AbortController();
  const api = await startApi({ role: 'member', stopSignal: shutdown.signal });
  const { next } = await openTopics(api);
  await next();
  const pending = next();
  shutdown.abort();
  await expect(pending).rejects.toThrow('The stream has ended.');
  const late = await openTopics(api);
  await expect(late.next()).rejects.toThrow('The stream has ended.');
});

it('leaves no timer and no listener behind when the client leaves', async () => {
  const countTimers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const shutdown = new AbortController();
  const api = await startApi({ role: 'member', stopSignal: shutdown.signal, streamHeartbeatMs: 600_000 });
  const ref = { namespace: systemNamespace, name: tokenName((await api.tokenFor('member')) ?? '') };
  const token = await api.store.get(ApiTokenKind, ref);
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  await api.store.replace(ApiTokenKind, { ...token, spec: { ...token.spec, expiresAt } });
  const before = countTimers();
  const streams = await Promise.all(Array.from({ length: 5 }, async () => await openTopics(api)));
  for (const { next } of streams) await next();
  expect(getEventListeners(shutdown.signal, 'abort').length).toBe(5);
  for (const { close } of streams) await close();
  await expect.poll(() => getEventListeners(shutdown.signal, 'abort').length).toBe(0);
  // The poll itself has a timer while it counts.
  await expect.poll(countTimers).toBeLessThanOrEqual(before + 1);
});

it('sends with each heartbeat the id to resume from', async () => {
  const api = await startApi({ role: 'member', streamHeartbeatMs: 20 });
  const { next } = await openTopics(api);
  expect(await next()).toMatchObject({ event: 'relist' });
  expect(await next()).toMatchObject({ '': 'keep-alive', id: expect.stringMatching(/^products:\d+$/) });
});

it('ends with a session that only the stream uses', async () => {
  let now = Date.now();
  const { request } = await startApi({ now: () => new Date(now), streamHeartbeatMs: 20 });
  const body = { email: 'jo@example.com', password: 'a long enough password' };
  await request('/v1/access/users', { method: 'POST', via: 'session', body });
  const signedIn = await request('/v1/auth/sign-in', { method: 'POST', body, role: 'anonymous' });
  const headers = { Cookie: signedIn.headers.get('Set-Cookie')?.split(';')[0] ?? '' };
  const call = async (path: string) => await request(path, { role: 'anonymous', headers });
  const { next } = readEvents(await call('/v1/me/stream?topics=waiting'));
  const findEnd = async (beatsMax: number) => {
    for (let beats = 0; beats < beatsMax;) {
      const event = await next();
      if (event.event === 'closed') return event;
      if ('' in event) beats += 1;
    }
    return undefined;
  };
  now += 90 * 60_000;
  expect(await findEnd(3)).toBeUndefined();
  now += 30 * 60_000;
  expect(await findEnd(5)).toMatchObject({ data: { reason: 'token-expired' } });
  await expect(next()).rejects.toThrow('The stream has ended.');
  expect((await call('/v1/me')).status).toBe(401);
});

it('writes a fault to the log, and tells the client nothing of it', async () => {
  const store = openTestStore();
  const list: Store['list'] = async (kind, options) => {
    if (kind.kind === ReleaseKind.kind) throw new Error('The store is away.');
    return await store.list(kind, options);
  };
  const lines: object[] = [];
  const warn = (fields: object, message: string): void => void lines.push({ ...fields, message });
  const api = await startApi({
    role: 'member',
    store: { ...store, list },
    log: { debug: () => {}, info: () => {}, warn, error: warn },
  });
  const headers = { Accept: 'text/event-stream' };
  const { next } = readEvents(await api.request('/v1/orgs/acme/releases', { headers }));
  await expect(next()).rejects.toThrow('The stream has ended.');
  expect(lines).toMatchObject([{ message: 'Event stream aborted', requestId: expect.any(String) }]);
});
