import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { Registry } from 'prom-client';
import { expect, it, onTestFinished } from 'vitest';
import { ByteBudget } from '../../../api/intake/byte-budget.ts';
import { DeliveryVerifier } from '../../../api/intake/delivery-verifier.ts';
import { createEarlyRefusal } from '../../../api/intake/refuse-early.ts';
import { SecretKind } from '../../../src/kinds/kubernetes.ts';
import { reservePort } from '../../support/servers/reserve-ports.ts';
import { startHttpServer } from '../../../src/main/process/start-http-server.ts';
import { signBody } from '../../support/platform/deliver-webhook.ts';
import { openMemoryStore } from '../../support/open-test-store.ts';
import { startApi } from '../../support/start-api.ts';

const mib = 1024 * 1024;
const webhookPath = '/api/v1/webhooks/codehost';
const push = JSON.stringify({ ref: 'refs/heads/main', repository: { full_name: 'acme/shop' } });

const ignore = (): void => {};
const silent = { debug: ignore, info: ignore, warn: ignore, error: ignore };

/** Serves the API as a process does, with a secret of the org "acme". */
async function start({ usedBytes = 0 } = {}) {
  const store = openMemoryStore();
  onTestFinished(async () => await store.close());
  const webhooks = { bodyBytesMax: 5 * mib, unverifiedBytesMax: 8 * mib };
  const budget = new ByteBudget(webhooks.unverifiedBytesMax);
  budget.hold(usedBytes);
  const shutdown = new AbortController();
  onTestFinished(() => shutdown.abort());
  const verifierDeps = { store, now: () => new Date(), config: { webhooks }, shutdownSignal: shutdown.signal };
  const deliveries = new DeliveryVerifier(verifierDeps, budget);
  const { app } = await startApi({ role: 'anonymous', store, deliveries, log: silent });
  const data = { 'webhook-secret': Buffer.from('secret').toString('base64') };
  await store.create(SecretKind, { metadata: { namespace: 'org-acme', name: 'codehost-app' }, data });
  const reached: string[] = [];
  const fetchApp: typeof app.fetch = (request, ...rest) => {
    reached.push(new URL(request.url).pathname);
    return app.fetch(request, ...rest);
  };
  const metrics = new Registry();
  const logged: unknown[] = [];
  const record = (level: string) => (line: object) => void logged.push({ level, ...line });
  const log = { ...silent, debug: record('debug'), warn: record('warn') };
  const refuse = createEarlyRefusal({ config: { publicUrl: 'https://example.com' }, deliveries, log, metrics });
  const port = await reservePort();
  const server = await startHttpServer({ fetch: fetchApp }, { port, host: '127.0.0.1', refuse });
  onTestFinished(async () => await server.stop(0));
  /** Sends headers with a declared length, and a part of the body. */
  const sendPart = (bytes: number, part = '', path = webhookPath) => {
    const socket = connect(port, '127.0.0.1');
    const signature = signBody(part, 'other');
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${bytes}\r\nX-Hub-Signature-256: ${signature}\r\nX-Request-Id: request-1\r\n\r\n${part}`,
    );
    return socket;
  };
  const deliver = async (body: string, signature: string, method = 'POST'): Promise<Response> =>
    await fetch(`http://127.0.0.1:${port}${webhookPath}`, {
      method,
      headers: { 'X-GitHub-Event': 'push', 'X-Hub-Signature-256': signature },
      ...(method === 'POST' && { body }),
    });
  return { store, budget, reached, metrics, logged, sendPart, deliver };
}

const parseProblem = (response: string): unknown => JSON.parse(response.slice(response.indexOf('\r\n\r\n')));

it('refuses a body over the limit with a problem document and the headers of every response', async () => {
  const { sendPart, reached } = await start();
  const response = await text(sendPart(25 * mib));
  expect(response).toMatch(/^HTTP\/1\.1 413 /);
  for (const header of ['Content-Type: application/problem+json', 'X-Request-Id: request-1', 'Connection: close'])
    expect(response).toContain(`\r\n${header}\r\n`);
  expect(response).toMatch(/\r\nX-Content-Type-Options: nosniff\r\n[^]*\r\nStrict-Transport-Security: max-age/);
  expect(parseProblem(response)).toMatchObject({
    type: 'https://example.com/api/docs/problems#too-large',
    reason: 'too-large',
    instance: 'request-1',
  });
  expect(await text(sendPart(25 * mib, '', `${webhookPath}?x=1`))).toMatch(/^HTTP\/1\.1 413 /);
  expect(reached).toEqual([]);
});

it('refuses a body that does not fit the budget, and names the time to retry', async () => {
  const { sendPart, deliver, logged } = await start({ usedBytes: 6 * mib });
  const response = await text(sendPart(2 * mib));
  expect(response).toMatch(/^HTTP\/1\.1 503 [^]*\r\nRetry-After: 10\r\n/);
  expect(parseProblem(response)).toMatchObject({ reason: 'intake-overloaded' });
  const line = { requestId: 'request-1', method: 'POST', route: webhookPath, status: 503 };
  expect(logged).toEqual([{ level: 'warn', ...line }]);
  await text(sendPart(2 * mib));
  expect(logged.slice(1)).toEqual([{ level: 'debug', ...line }]);
  expect((await deliver(push, signBody(push, 'secret'))).status).toBe(202);
});

it('refuses a signature of no org before the request reaches the app, counts it, and keeps no memory', async () => {
  const { deliver, reached, metrics, logged, budget } = await start();
  const refused = await deliver(push, signBody(push, 'other'));
  expect([refused.status, refused.headers.get('Content-Type')]).toEqual([401, 'application/problem+json']);
  expect(await refused.json()).toMatchObject({ reason: 'invalid-signature' });
  expect((await deliver(push, 'none')).status).toBe(401);
  expect(reached).toEqual([]);
  expect(budget.usedBytes).toBe(0);
  expect(await metrics.metrics()).toContain('delivery_webhooks_refused_total{status="401"} 2');
  expect(logged).toMatchObject([
    { level: 'debug', status: 401 },
    { level: 'debug', status: 401 },
  ]);
});

it('passes a signed delivery to the operation, which reads no body again', async () => {
  const { deliver, reached, budget } = await start();
  const accepted = await deliver(push, signBody(push, 'secret'));
  expect([accepted.status, await accepted.json()]).toMatchObject([202, { outcome: 'ignored' }]);
  expect(reached).toEqual([webhookPath]);
  const large = JSON.stringify({ ...(JSON.parse(push) as object), text: 'x'.repeat(2 * mib) });
  expect((await deliver(large, signBody(large, 'secret'))).status).toBe(202);
  expect((await deliver(large, signBody(large, 'other'))).status).toBe(401);
  expect(budget.usedBytes).toBe(0);
});

it('frees the memory of a body whose connection closes, and serves the next delivery', async () => {
  const { sendPart, deliver, budget } = await start();
  const socket = sendPart(mib, 'x'.repeat(1000));
  await expect.poll(() => budget.usedBytes).toBe(mib);
  socket.destroy();
  await once(socket, 'close');
  await expect.poll(() => budget.usedBytes).toBe(0);
  expect((await deliver(push, signBody(push, 'secret'))).status).toBe(202);
});

it('leaves errors that are no refusal to the operation', async () => {
  const { store, deliver, reached } = await start();
  store.list = async () => await Promise.reject(new Error('The disk is full.'));
  expect((await deliver(push, signBody(push, 'secret'))).status).toBe(500);
  expect(reached).toEqual([webhookPath]);
});

it('passes other paths and methods', async () => {
  const { sendPart, deliver, reached } = await start();
  for (const path of ['/api/v1/orgs', `${webhookPath}s`]) {
    const socket = sendPart(25 * mib, '', path);
    await once(socket, 'data');
    socket.destroy();
  }
  expect((await deliver('', 'none', 'DELETE')).status).toBe(405);
  expect(reached.length).toBe(3);
});
