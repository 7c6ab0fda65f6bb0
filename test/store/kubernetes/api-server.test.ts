import { setTimeout as sleep } from 'node:timers/promises';
import { KubeConfig } from '@kubernetes/client-node';
import { expect, it, onTestFinished } from 'vitest';
import { connectApiServer } from '../../../src/store/kubernetes/api-server.ts';
import { startKubernetesApi, type Fault } from '../../support/servers/kubernetes-api.ts';

const never = new AbortController().signal;
const get = { method: 'GET', path: '/api/v1/namespaces/default' } as const;

/** Connects to a server that gives the responses one after the other, and the last one again. */
async function connect(...answers: Fault[]) {
  const requests: string[] = [];
  const { kubeConfig, stop } = await startKubernetesApi([], ({ method, path, query }) => {
    requests.push(`${method} ${path} ${query.toString()}`.trim());
    return answers.length > 1 ? answers.shift() : answers[0];
  });
  const server = connectApiServer(kubeConfig);
  onTestFinished(async () => {
    await server.close();
    await stop();
  });
  return { server, requests, stop };
}

const found: Fault = { status: 200, body: { kind: 'Namespace' } };

it.each<[description: string, fault: Fault]>([
  ['an overloaded server', { status: 429, body: { reason: 'TooManyRequests' } }],
  ['a server without etcd', { status: 500, body: { reason: 'InternalError' } }],
  ['a server that has not loaded its kinds', { status: 404, body: 'page not found' }],
  ['a lost connection', 'lost'],
  [
    'a namespace that is being deleted',
    { status: 403, body: { details: { causes: [{ reason: 'NamespaceTerminating' }] } } },
  ],
])('tries again after %s', async (_, fault) => {
  const { server, requests } = await connect(fault, found);
  expect(await server.request(get)).toEqual({ kind: 'Namespace' });
  expect(requests).toHaveLength(2);
});

it.each([
  [300, {}],
  [404, { reason: 'NotFound' }],
  [403, { reason: 'Forbidden' }],
  [413, {}],
  [500, { message: 'etcdserver: request is too large' }],
])('reports %i %j at once', async (status, body) => {
  const { server, requests } = await connect({ status, body });
  await expect(server.request(get)).rejects.toMatchObject({ code: status, mayHaveApplied: false });
  expect(requests).toHaveLength(1);
});

const unknownKind: Fault = { status: 404, body: 'page not found' };
const rules = '/apis/monitoring.coreos.com/v1/prometheusrules';

it('reports a kind of another group as missing once a ready server still does not have it', async () => {
  const { server, requests } = await connect(unknownKind, found, unknownKind);
  await expect(server.request({ ...get, path: rules })).rejects.toMatchObject({ code: 404 });
  expect(requests).toEqual([`GET ${rules}`, 'GET /readyz', `GET ${rules}`]);
});

it('waits for a kind of another group while the server is not ready', async () => {
  const loading: Fault = { status: 500, body: 'loading' };
  const { server, requests } = await connect(unknownKind, loading, unknownKind, found, found);
  expect(await server.request({ ...get, path: rules })).toEqual({ kind: 'Namespace' });
  expect(requests).toEqual([`GET ${rules}`, 'GET /readyz', `GET ${rules}`, 'GET /readyz', `GET ${rules}`]);
});

it('tries again without a right only while the server recovers, and tells that an attempt may have had an effect', async () => {
  const { server, requests } = await connect('lost', { status: 403, body: { reason: 'Forbidden' } }, found);
  expect(await server.request(get)).toEqual({ kind: 'Namespace' });
  expect(requests).toHaveLength(3);
  const conflict = { status: 409, body: { reason: 'AlreadyExists' } };
  const { server: other } = await connect({ status: 500, body: {} }, conflict);
  await expect(other.request({ ...get, method: 'POST', body: {} })).rejects.toMatchObject({ mayHaveApplied: true });
  const { server: busy } = await connect({ status: 429, body: {} }, conflict);
  await expect(busy.request({ ...get, method: 'POST', body: {} })).rejects.toMatchObject({ mayHaveApplied: false });
});

it('gives up when the server asks for more time than a caller has', async () => {
  const body = { reason: 'TooManyRequests', message: 'slow down' };
  const { server, requests } = await connect({ status: 429, body, headers: { 'retry-after': '60' } });
  await expect(server.request(get)).rejects.toMatchObject({
    reason: 'cluster-unavailable',
    message: 'The API server is unavailable (429).',
    retryAfterMs: 1_000,
  });
  expect(requests).toHaveLength(1);
});

it('does not tell the address of a server that is away', async () => {
  const { kubeConfig, stop } = await startKubernetesApi([]);
  await stop();
  const server = connectApiServer(kubeConfig, { retryTimeoutMs: 0 });
  onTestFinished(async () => await server.close());
  await expect(server.request(get)).rejects.toMatchObject({
    message: 'The API server is unavailable (ECONNREFUSED).',
  });
});

it('waits as long as the server asks', async () => {
  const { server } = await connect({ status: 503, body: {}, headers: { 'retry-after': '1' } }, found);
  const startedAt = performance.now();
  await server.request(get);
  expect(performance.now() - startedAt).toBeGreaterThan(950);
});

it('waits as after any other failure when a proxy before the server asks with a date', async () => {
  const headers = { 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' };
  const { server, requests } = await connect({ status: 503, body: {}, headers });
  const request = server.request(get).catch(() => 'ended');
  await sleep(1_000);
  expect(requests.length).toBeLessThan(10);
  await server.close();
  expect(await request).toBe('ended');
});

it('reads a log and the start of the page of a Service, once', async () => {
  const log = { signal: never, bytesMax: 14 };
  const { server, requests } = await connect({ status: 200, body: 'line 1\nline 2\nline 3\n' });
  expect(await server.readText('/api/v1/log', { tailLines: 2, previous: undefined }, log)).toBe('line 1\nline 2\n');
  expect(requests).toEqual(['GET /api/v1/log tailLines=2']);
  const { server: large, requests: proxied } = await connect({ status: 203, body: 'x'.repeat(10_000) });
  const page = await large.requestService({ namespace: 'shop-rc', service: 'http:shop:80' }, never);
  expect(page).toEqual({ status: 203, body: 'x'.repeat(4_096) });
  expect(proxied).toEqual(['GET /api/v1/namespaces/shop-rc/services/http%3Ashop%3A80/proxy/']);
  const { server: failing, requests: once } = await connect({ status: 500, body: 'no' });
  await expect(failing.readText('/api/v1/log', {}, log)).rejects.toThrow('500 no');
  await expect(failing.readText('/api/v1/log', {}, { ...log, signal: AbortSignal.abort() })).rejects.toThrow('aborted');
  expect(once).toHaveLength(1);
});

it('streams lines, whole', async () => {
  const { server } = await connect({ status: 200, body: 'one\ntwo\nunfinished' });
  const lines: string[] = [];
  for await (const line of await server.streamLines('/api/v1/x', {}, never)) lines.push(line);
  expect(lines).toEqual(['one', 'two']);
  const { server: failing } = await connect({ status: 410, body: { message: 'too old' } });
  await expect(failing.streamLines('/api/v1/x', {}, never)).rejects.toMatchObject({
    code: 410,
    message: '410 too old',
  });
});

it('is ready only while the server says so', async () => {
  const { server, stop } = await connect(found, { status: 500, body: 'etcd is away' });
  expect(await server.isReady()).toBe(true);
  expect(await server.isReady()).toBe(false);
  await stop();
  expect(await server.isReady()).toBe(false);
});

it('ends its requests when it is closed', async () => {
  const { server } = await connect({ status: 503, body: {} });
  const request = server.request(get);
  await server.close();
  await expect(request).rejects.toThrow('abort');
});

it('needs a kubeconfig with a cluster', () => {
  expect(() => connectApiServer(new KubeConfig())).toThrow('no current context');
});
