import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { sessionCookie } from '../../../api/auth/authenticate.ts';
import { reservePort } from '../../support/servers/reserve-ports.ts';
import { startHttpServer } from '../../../src/main/process/start-http-server.ts';
import { SecretKind, toSecretData } from '../../../src/kinds/kubernetes.ts';
import { AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import { type ApiHarness, startApi } from '../../support/start-api.ts';

type Line = Record<string, unknown>;

/** Serves the API with a log of every level, and returns the lines of its requests. */
async function serveLogged(store?: ApiHarness['store']) {
  const text: string[] = [];
  const log = pino({ level: 'debug', base: null, timestamp: false }, { write: (line) => void text.push(line) });
  const api = await startApi({ isDocumented: false, log, ...(store && { store }) });
  const port = await reservePort();
  const server = await startHttpServer(api.app, { port, host: '127.0.0.1' });
  onTestFinished(async () => await server.stop(0));
  const send = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
    await response.arrayBuffer();
    return response;
  };
  const readLines = (): Line[] => text.map((line) => JSON.parse(line) as Line).filter(({ msg }) => msg === 'Request');
  const authorization = async (role: Parameters<ApiHarness['tokenFor']>[0]) => ({
    authorization: `Bearer ${await api.tokenFor(role)}`,
  });
  return { ...api, send, readLines, readText: () => text.join(''), authorization };
}

const levels = { debug: 20, info: 30, warn: 40 };

it('logs one line per request, with its org, run, caller and route', async () => {
  const { send, readLines, authorization } = await serveLogged();
  const headers = { ...(await authorization('member')), 'x-request-id': 'request-1' };
  await send('/api/v1/orgs/acme/agentworkflowruns?limit=1', { headers });
  await send('/api/v1/orgs/acme/agentworkflowruns/change-shop-1/cancel', { method: 'POST', headers });
  const [list, cancel, ...others] = readLines();
  expect(others).toEqual([]);
  expect(list).toEqual({
    level: levels.debug,
    msg: 'Request',
    requestId: 'request-1',
    method: 'GET',
    route: '/api/v1/orgs/:org/agentworkflowruns',
    status: 200,
    org: 'acme',
    caller: 'token',
    durationMs: expect.any(Number),
  });
  // The run does not exist, so its name is any text of the caller.
  expect(cancel).toMatchObject({ level: levels.info, status: 404, org: 'acme' });
  expect(cancel).not.toHaveProperty('run');
});

it('names the run of a path', async () => {
  const { send, readLines, authorization, store } = await serveLogged();
  await store.create(AgentWorkflowRunKind, {
    metadata: { namespace: 'org-acme', name: 'change-shop-1' },
    spec: { agentWorkflow: 'change', product: 'shop', startedBy: 'jo@example.com', steps: [], roles: {} },
  });
  await send('/api/v1/orgs/acme/agentworkflowruns/change-shop-1', { headers: await authorization('viewer') });
  expect(readLines()).toEqual([expect.objectContaining({ status: 200, org: 'acme', run: 'change-shop-1' })]);
});

it('names what calls without being a user: Alertmanager', async () => {
  const { send, readLines, store } = await serveLogged();
  const metadata = { namespace: 'service-system', name: 'service-alert-webhook' };
  await store.create(SecretKind, { metadata, data: toSecretData({ token: 'secret' }) });
  const headers = { authorization: 'Bearer secret', 'content-type': 'application/json' };
  await send('/api/v1/webhooks/alerts', { method: 'POST', headers, body: '{}' });
  expect(readLines()).toEqual([expect.objectContaining({ level: levels.info, status: 422, caller: 'alertmanager' })]);
});

it('contains no secret, whatever part of a request a caller puts it in', async () => {
  const planted = 'planted-secret-4711';
  const { send, readText, readLines, authorization, tokenFor } = await serveLogged();
  const headers = await authorization('platform-admin');
  const json = { ...headers, 'content-type': 'application/json' };
  await send(`/api/v1/orgs/acme/products?q=${planted}`, { headers });
  await send(`/api/v1/orgs/${planted}/products`, { headers });
  await send(`/api/v1/orgs/acme/agentworkflowruns/${planted}`, { headers });
  await send(`/api/v1/orgs/acme/agentworkflowruns/${planted}/cancel`, { method: 'POST', headers });
  await send(`/api/v1/${planted}`, { headers });
  await send(`/${planted}`, { headers: { accept: 'text/html' } });
  await send(`/api/v1/status/${planted}/${planted}`);
  await send('/api/v1/me', { headers: { authorization: `Bearer ${planted}` } });
  await send('/api/v1/me', { headers: { cookie: `${sessionCookie}=${planted}` } });
  await send('/api/v1/me', { headers: { ...headers, 'x-request-id': `${planted} with spaces` } });
  await send('/api/v1/me', { headers: { ...headers, traceparent: planted, 'user-agent': planted, referer: planted } });
  await send('/api/v1/me/tokens', { method: 'POST', headers: json, body: JSON.stringify({ label: planted }) });
  await send('/api/v1/auth/sign-in', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: `${planted}@example.com`, password: planted }),
  });
  await send('/api/v1/setup/root-user', {
    method: 'POST',
    headers: { 'x-service-setup-token': planted, 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'root@example.com', password: planted }),
  });
  await send('/api/v1/webhooks/codehost', {
    method: 'POST',
    headers: { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}`, 'x-github-event': planted },
    body: planted,
  });
  await send('/api/v1/webhooks/alerts', {
    method: 'POST',
    headers: { authorization: `Bearer ${planted}` },
    body: '{}',
  });
  expect(readLines()).toHaveLength(16);
  expect(readText()).not.toContain(planted);
  expect(readText()).not.toContain(await tokenFor('platform-admin'));
});

it('chooses the level by who could fill the log and who should read it', async () => {
  const { send, readLines, store, authorization } = await serveLogged();
  for (const path of ['/livez', '/readyz', '/healthz']) await send(path);
  expect(readLines()).toEqual([]);
  await send('/api/v1/me');
  expect(readLines()).toEqual([expect.objectContaining({ level: levels.debug, status: 401, caller: 'anonymous' })]);
  const headers = await authorization('member');
  await send('/api/v1/me', { headers });
  expect(readLines().at(-1)).toMatchObject({ level: levels.debug, status: 200, caller: 'token' });
  await send('/api/v1/me', { method: 'HEAD', headers });
  expect(readLines().at(-1)).toMatchObject({ level: levels.debug, status: 200, method: 'HEAD' });
  await send('/api/v1/me/sessions', { method: 'DELETE', headers });
  expect(readLines().at(-1)).toMatchObject({ level: levels.info, status: 204 });
  await store.close();
  await send('/api/v1/me', { headers });
  expect(readLines().at(-1)).toMatchObject({ level: levels.warn, status: 500 });
});
