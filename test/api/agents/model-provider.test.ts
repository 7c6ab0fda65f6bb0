import { Agent, type Dispatcher } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SecretKind, readSecretText } from '../../../src/kinds/kubernetes.ts';
import { toProviderSecretData } from '../../../src/rules/agents/model-provider-secret.ts';
import {
  buildChatCompletion,
  buildMessagesResponse,
  type ModelReply,
  startFakeModelServer,
} from '../../support/changes/fake-model-server.ts';
import { createTestDispatcher } from '../../support/servers/test-dispatcher.ts';
import { startApi } from '../../support/start-api.ts';

const apiKey = 'sk-write-only';
const path = '/v1/orgs/acme/model-provider';
const ref = { namespace: 'org-acme', name: 'model-provider' };
const bedrock = { kind: 'bedrock' as const, model: 'm', baseUrl: 'http://127.0.0.1:1', region: 'eu-central-1' };
const awsCredentials = { accessKeyId: 'id', secretAccessKey: 'key' };

async function start(
  reply: ModelReply = { body: buildChatCompletion({ text: 'OK' }) },
  judged: Dispatcher = createTestDispatcher('127.0.0.1'),
) {
  const api = await startApi({ role: 'org-admin', judged });
  const provider = await startFakeModelServer(() => reply);
  const put = async (body: object, headers = {}) => api.request(path, { method: 'PUT', body, headers });
  const own = { kind: 'openai-compatible', model: 'm', baseUrl: `${provider.url}/v1`, apiKey };
  return { ...api, provider, put, own };
}

describe('getModelProvider', () => {
  it('200: returns the provider of the installation while the org has none', async () => {
    const { request } = await start();
    expect(await (await request(path)).json()).toMatchObject({
      source: 'installation',
      model: 'installed',
      hasKey: false,
      actions: [{ name: 'putModelProvider' }, { name: 'deleteModelProvider', allowed: false }, {}],
    });
  });

  it('200: shows a provider that a person stored with kubectl, and whether its credentials are complete', async () => {
    const { request, store } = await start();
    for (const [credentials, hasKey] of [
      [awsCredentials, true],
      [{ accessKeyId: 'id' }, false],
      [{ secretAccessKey: 'key' }, false],
    ] as const) {
      const data = toProviderSecretData({ ...bedrock, ...credentials });
      await store.create(SecretKind, { metadata: ref, type: 'Opaque', data });
      expect(await (await request(path)).json()).toMatchObject({
        source: 'org',
        ...bedrock,
        hasKey,
        actions: [{}, { name: 'deleteModelProvider', allowed: true }, {}],
      });
      await store.delete(SecretKind, ref);
    }
  });
});

describe('a version of the provider', () => {
  it('200: is replaced by its ETag; 412: is neither replaced nor deleted by an earlier one', async () => {
    const { put, own, request } = await start();
    const saved = await put(own);
    const etag = (await request(path)).headers.get('ETag') ?? '';
    expect(etag).toBe(saved.headers.get('ETag'));
    const replaced = await put({ ...own, model: 'next' }, { 'If-Match': etag });
    expect(replaced.status).toBe(200);
    expect((await put(own, { 'If-Match': etag })).status).toBe(412);
    const remove = async (tag: string | null) =>
      (await request(path, { method: 'DELETE', headers: { 'If-Match': tag ?? '' } })).status;
    expect(await remove(etag)).toBe(412);
    expect(await remove(replaced.headers.get('ETag'))).toBe(204);
  });
});

describe('putModelProvider', () => {
  it('200: verifies the provider with a test request, stores it and never returns its key', async () => {
    const { put, own, request, provider, store } = await start();
    const saved = await put(own);
    const view = await saved.text();
    expect([saved.status, view]).toEqual([200, expect.not.stringContaining(apiKey)]);
    expect(JSON.parse(view)).toMatchObject({
      source: 'org',
      kind: own.kind,
      model: 'm',
      baseUrl: own.baseUrl,
      hasKey: true,
    });
    expect(provider.asked).toMatchObject([
      { path: '/v1/chat/completions', headers: { authorization: `Bearer ${apiKey}` } },
    ]);
    const read = await request(path, { role: 'viewer' });
    expect(await read.text()).toBe(view.replace(/"actions":.*/, '') + (await listViewerActions(request)));
    expect(readSecretText(await store.get(SecretKind, ref), 'api-key')).toBe(apiKey);
  });

  it('200: uses the protocol of the provider kind', async () => {
    const { put, provider } = await start({ body: buildMessagesResponse({ text: 'OK' }) });
    const saved = await put({ kind: 'anthropic', model: 'claude', baseUrl: provider.url, apiKey });
    expect(saved.status).toBe(200);
    expect(provider.asked).toMatchObject([{ path: '/messages', headers: { 'x-api-key': apiKey } }]);
  });

  it.each<[string, ModelReply, string]>([
    ['a rejected key', { status: 401, body: { error: { message: `Wrong key ${apiKey}` } } }, '/apiKey'],
    ['a key without access to the model', { status: 403, body: {} }, '/apiKey'],
    ['a key rejected as a bad request', { status: 400, body: { error: { message: 'API key not valid.' } } }, '/apiKey'],
    ['an account without credit', { status: 402, body: {} }, '/apiKey'],
    ['an unknown model', { status: 404, body: { error: { message: 'The model m does not exist' } } }, '/model'],
    ['a model without tools', { status: 400, body: { error: { message: 'tools are not supported' } } }, '/model'],
    ['an address of another service', { status: 404, body: '<html>' }, '/baseUrl'],
    ['an address that returns no JSON', { body: '<html>' }, '/baseUrl'],
  ])('422: points at the field for %s and stores nothing', async (_, reply, pointer) => {
    const { put, own, store } = await start(reply);
    const refused = await put(own);
    const problem = (await refused.json()) as { detail: string; errors: { pointer: string }[] };
    expect(refused.status).toBe(422);
    expect(problem.errors).toMatchObject([{ pointer }]);
    expect(JSON.stringify(problem)).not.toContain(apiKey);
    expect(await store.find(SecretKind, ref)).toBeUndefined();
  });

  it.each([
    ['a typographic quote', '“sk-1”'],
    ['a line break', 'sk-1\nsk-2'],
  ])('422: points at a key with %s, which no request can carry, and not at the base URL', async (_, pasted) => {
    const { put, own, provider } = await start();
    const refused = await put({ ...own, apiKey: pasted });
    const problem = await refused.text();
    expect(JSON.parse(problem)).toMatchObject({ status: 422, errors: [{ pointer: '/apiKey' }] });
    expect(problem).not.toContain('sk-1');
    expect(provider.asked).toEqual([]);
  });

  it('422: points at a base URL that refuses connections', async () => {
    const { put, own } = await start();
    const refused = await put({ ...own, baseUrl: 'http://127.0.0.1:9/v1' });
    expect(await refused.json()).toMatchObject({ status: 422, errors: [{ pointer: '/baseUrl' }] });
  });

  it.each([
    'https://10.0.0.1/v1',
    'https://kubernetes.default.svc/v1',
    'http://127.0.0.1:PORT/v1',
    'http://2130706433:PORT/v1',
    'http://0177.0.0.1:PORT/v1',
    'http://localhost:PORT/v1',
    'http://x.localhost:PORT/v1',
    'http://[::ffff:127.0.0.1]:PORT/v1',
  ])('422: refuses the base URL %s inside the network, and sends nothing to it', async (url) => {
    const { put, own, provider, store } = await start(undefined, createTestDispatcher());
    const refused = await put({ ...own, baseUrl: url.replace('PORT', new URL(provider.url).port) });
    expect(await refused.json()).toMatchObject({
      status: 422,
      reason: 'model-setting-invalid',
      detail: expect.stringContaining('ALLOWED_INSIDE_ADDRESSES'),
      errors: [{ pointer: '/baseUrl' }],
    });
    expect(provider.asked).toEqual([]);
    expect(await store.find(SecretKind, ref)).toBeUndefined();
  });

  it('422: answers the same for open and closed ports inside, and for names that do not exist', async () => {
    const { put, own, provider } = await start(undefined, createTestDispatcher());
    const readDetail = async (url: string): Promise<string> => {
      const { detail } = (await (await put({ ...own, baseUrl: url })).json()) as { detail: string };
      return detail.replace(new URL(url).hostname, 'HOST');
    };
    const open = await readDetail(provider.url);
    expect(await readDetail('http://127.0.0.1:4004')).toBe(open);
    expect(await readDetail('https://unknown.invalid')).toBe(open);
  });

  it.each([400, 404, 500])('never repeats the response of another service, with the status %i', async (status) => {
    const secret = 'INTERNAL-ONLY db_password=hunter2';
    const open = new Agent();
    onTestFinished(async () => await open.destroy());
    for (const body of [secret, { error: { message: secret } }]) {
      // Without the judge the service is asked, as an allowed one is.
      const { put, own, provider } = await start({ status, body }, open);
      const answer = await (await put(own)).text();
      expect(provider.asked).toHaveLength(1);
      expect(answer).toContain(`(${status})`);
      expect(answer).not.toContain('INTERNAL-ONLY');
    }
  });

  it('503: forwards the retry time of an overloaded provider', async () => {
    const { put, own } = await start({ status: 429, headers: { 'retry-after': '7' }, body: {} });
    const refused = await put(own);
    expect([refused.status, refused.headers.get('Retry-After')]).toEqual([503, '7']);
  });

  it('200: keeps an omitted key, but never sends it to another endpoint', async () => {
    const { put, own, provider } = await start();
    const otherServer = await startFakeModelServer(() => ({ body: buildChatCompletion({ text: 'OK' }) }));
    const { apiKey: _, ...withoutKey } = own;
    await put(own);
    expect((await put({ ...withoutKey, model: 'other' })).status).toBe(200);
    expect(provider.asked.at(-1)).toMatchObject({
      body: { model: 'other' },
      headers: { authorization: `Bearer ${apiKey}` },
    });
    await put({ ...withoutKey, baseUrl: `${otherServer.url}/v1` });
    expect(JSON.stringify(otherServer.asked)).not.toContain(apiKey);
    const other = await put({ kind: 'anthropic', model: 'm', baseUrl: otherServer.url });
    expect(await other.json()).toMatchObject({ status: 422, errors: [{ pointer: '/apiKey' }] });
  });

  it.each([
    'http://169.254.169.254/latest',
    'http://2852039166/',
    'http://[::ffff:169.254.169.254]/',
    'http://metadata.google.internal/computeMetadata',
    'http://user:pass@example.com/v1',
    'ftp://example.com',
    '',
    'not a url',
    'http://',
  ])('422: rejects the base URL %s', async (baseUrl) => {
    const { put, own } = await start();
    expect(await (await put({ ...own, baseUrl })).json()).toMatchObject({
      status: 422,
      errors: [{ pointer: '/baseUrl' }],
    });
  });

  it('422: completes no new key with the stored half of another', async () => {
    const { put, store, provider } = await start();
    const data = toProviderSecretData({ ...bedrock, ...awsCredentials });
    await store.create(SecretKind, { metadata: ref, type: 'Opaque', data });
    const refused = await put({ ...bedrock, accessKeyId: 'another' });
    expect(await refused.json()).toMatchObject({ status: 422, errors: [{ pointer: '/secretAccessKey' }] });
    expect(provider.asked).toEqual([]);
  });

  it('412: rejects a stale version', async () => {
    const { put, own } = await start();
    await put(own);
    expect((await put(own, { 'If-Match': '"1"' })).status).toBe(412);
  });
});

describe('deleteModelProvider', () => {
  it('204: returns the org to the provider of the installation; 404: has nothing left to delete', async () => {
    const { put, own, request } = await start();
    const read = async () => (await request(path)).json();
    expect(await read()).toMatchObject({ source: 'installation', model: 'installed', hasKey: false });
    await put(own);
    expect((await request(path, { method: 'DELETE' })).status).toBe(204);
    expect(await read()).toMatchObject({ source: 'installation' });
    expect((await request(path, { method: 'DELETE' })).status).toBe(404);
  });
});

describe('listModels', () => {
  const listing = { data: [{ id: 'small' }, { id: 'gpt-4o' }] };

  it('200: prefers the prices of the org over built-in prices', async () => {
    const { put, own, request } = await start({ body: { ...buildChatCompletion({ text: 'OK' }), ...listing } });
    await put(own);
    const price = { model: 'small', inputPerMillion: 1, outputPerMillion: 2, currency: 'USD' };
    const saved = await request('/v1/orgs/acme/models/prices', { method: 'PUT', body: { prices: [price] } });
    expect([saved.status, await saved.json()]).toEqual([200, { prices: [price] }]);
    expect(await (await request('/v1/orgs/acme/models', { role: 'viewer' })).json()).toEqual({
      items: [
        { model: 'gpt-4o', isDefault: false },
        { model: 'm', isDefault: true },
        { model: 'small', isDefault: false, price: { ...price, source: 'org' } },
      ],
    });
  });
});

describe('putModelPrices', () => {
  it('200: keeps the prices of other models, also of one that is set at the same time', async () => {
    const { request } = await start();
    const put = async (body: object) => {
      const response = await request('/v1/orgs/acme/models/prices', { method: 'PUT', body });
      return [response.status, ((await response.json()) as { prices: { model: string }[] }).prices];
    };
    const toPrice = (model: string) => ({ model, inputPerMillion: 1, outputPerMillion: 2, currency: 'USD' });
    await Promise.all(['a', 'b', 'c'].map(async (model) => await put({ prices: [toPrice(model)] })));
    const [, prices] = await put({ prices: [{ ...toPrice('b'), inputPerMillion: 9 }], unset: ['c', 'unknown'] });
    expect(prices).toEqual([toPrice('a'), { ...toPrice('b'), inputPerMillion: 9 }]);
  });

  it('422: limits the prices of an org, and names a model that is set and unset', async () => {
    const { request } = await start();
    const put = async (body: object) => (await request('/v1/orgs/acme/models/prices', { method: 'PUT', body })).json();
    const toPrice = (model: number) => ({
      model: `m${model}`,
      inputPerMillion: 1,
      outputPerMillion: 2,
      currency: 'USD',
    });
    const prices = Array.from({ length: 500 }, (_, index) => toPrice(index));
    expect(await put({ prices })).toEqual({ prices });
    expect(await put({ prices: [toPrice(500)] })).toMatchObject({ status: 422, errors: [{ pointer: '/prices' }] });
    expect(await put({ prices: [toPrice(500)], unset: ['m0'] })).toMatchObject({ prices: { length: 500 } });
    expect(await put({ prices: [toPrice(1)], unset: ['m1'] })).toMatchObject({ errors: [{ pointer: '/unset/0' }] });
  });

  it('422: requires one positive price in dollars per model', async () => {
    const { request } = await start();
    const price = { model: 'a', inputPerMillion: 1, outputPerMillion: 2, currency: 'USD' };
    const put = async (...prices: object[]) =>
      (await request('/v1/orgs/acme/models/prices', { method: 'PUT', body: { prices } })).json();
    expect(await put(price, price)).toMatchObject({ status: 422, errors: [{ pointer: '/prices/1/model' }] });
    expect(await put({ ...price, currency: 'EUR' })).toMatchObject({ errors: [{ pointer: '/prices/0/currency' }] });
    expect(await put({ ...price, inputPerMillion: -1 })).toMatchObject({
      errors: [{ pointer: '/prices/0/inputPerMillion' }],
    });
  });
});

async function listViewerActions(request: Awaited<ReturnType<typeof startApi>>['request']): Promise<string> {
  const { actions } = (await (await request(path, { role: 'viewer' })).json()) as { actions: { allowed: boolean }[] };
  expect(actions.map(({ allowed }) => allowed)).toEqual([false, false, false]);
  return `"actions":${JSON.stringify(actions)}}`;
}
