import { describe, expect, it } from 'vitest';
import { SecretKind, secretText } from '../../../src/rules/core-kinds.ts';
import { chatCompletion, messageAnswer, type Reply, startAnyProvider } from '../../support/any-provider.ts';
import { startApi } from '../../support/start-api.ts';

const apiKey = 'sk-write-only';
const path = '/v1/orgs/acme/model-provider';
const ref = { namespace: 'org-acme', name: 'model-provider' };

async function start(reply: Reply = { body: chatCompletion({ text: 'OK' }) }) {
  const api = await startApi({ role: 'org-admin' });
  const provider = await startAnyProvider(() => reply);
  const put = async (body: object, headers = {}) => api.request(path, { method: 'PUT', body, headers });
  const own = { kind: 'openai-compatible', model: 'm', baseUrl: `${provider.url}/v1`, apiKey };
  return { ...api, provider, put, own };
}

describe('an org’s model provider', () => {
  it('200: is asked something tiny, then kept, and its key is never told', async () => {
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
    expect(await read.text()).toBe(view.replace(/"actions":.*/, '') + (await actionsOfViewer(request)));
    expect(secretText(await store.get(SecretKind, ref), 'api-key')).toBe(apiKey);
  });

  it('200: speaks the words of its kind', async () => {
    const { put, provider } = await start({ body: messageAnswer({ text: 'OK' }) });
    const saved = await put({ kind: 'anthropic', model: 'claude', baseUrl: provider.url, apiKey });
    expect(saved.status).toBe(200);
    expect(provider.asked).toMatchObject([{ path: '/messages', headers: { 'x-api-key': apiKey } }]);
  });

  it('200: is the installation’s until there is one, and again when it is deleted', async () => {
    const { put, own, request } = await start();
    const read = async () => (await request(path)).json();
    expect(await read()).toMatchObject({ source: 'installation', model: 'installed', hasKey: false });
    await put(own);
    expect((await request(path, { method: 'DELETE' })).status).toBe(204);
    expect(await read()).toMatchObject({ source: 'installation' });
    expect((await request(path, { method: 'DELETE' })).status).toBe(404);
  });

  it.each<[string, Reply, string]>([
    ['a refused key', { status: 401, body: { error: { message: `Wrong key ${apiKey}` } } }, '/apiKey'],
    ['a key that may not use the model', { status: 403, body: {} }, '/apiKey'],
    ['a key refused as a bad request', { status: 400, body: { error: { message: 'API key not valid.' } } }, '/apiKey'],
    ['an account without credit', { status: 402, body: {} }, '/apiKey'],
    ['an unknown model', { status: 404, body: { error: { message: 'The model m does not exist' } } }, '/model'],
    ['a model without tools', { status: 400, body: { error: { message: 'tools are not supported' } } }, '/model'],
    ['an address of something else', { status: 404, body: '<html>' }, '/baseUrl'],
    ['an address that answers no JSON', { body: '<html>' }, '/baseUrl'],
  ])('422: names the field of %s, and saves nothing', async (_, reply, pointer) => {
    const { put, own, store } = await start(reply);
    const refused = await put(own);
    const problem = (await refused.json()) as { detail: string; errors: { pointer: string }[] };
    expect(refused.status).toBe(422);
    expect(problem.errors).toMatchObject([{ pointer }]);
    expect(JSON.stringify(problem)).not.toContain(apiKey);
    expect(await store.find(SecretKind, ref)).toBeUndefined();
  });

  it('422: names the base URL where nobody listens', async () => {
    const { put, own } = await start();
    const refused = await put({ ...own, baseUrl: 'http://127.0.0.1:9/v1' });
    expect(await refused.json()).toMatchObject({ status: 422, errors: [{ pointer: '/baseUrl' }] });
  });

  it('503: says when an overloaded provider can be tried again', async () => {
    const { put, own } = await start({ status: 429, headers: { 'retry-after': '7' }, body: {} });
    const refused = await put(own);
    expect([refused.status, refused.headers.get('Retry-After')]).toEqual([503, '7']);
  });

  it('200: keeps a key that is left out, but never sends it elsewhere', async () => {
    const { put, own, provider } = await start();
    const elsewhere = await startAnyProvider(() => ({ body: chatCompletion({ text: 'OK' }) }));
    const { apiKey: _, ...withoutKey } = own;
    await put(own);
    expect((await put({ ...withoutKey, model: 'other' })).status).toBe(200);
    expect(provider.asked.at(-1)).toMatchObject({
      body: { model: 'other' },
      headers: { authorization: `Bearer ${apiKey}` },
    });
    await put({ ...withoutKey, baseUrl: `${elsewhere.url}/v1` });
    expect(JSON.stringify(elsewhere.asked)).not.toContain(apiKey);
    const other = await put({ kind: 'anthropic', model: 'm', baseUrl: elsewhere.url });
    expect(await other.json()).toMatchObject({ status: 422, errors: [{ pointer: '/apiKey' }] });
  });

  it.each([
    'http://169.254.169.254/latest',
    'http://2852039166/',
    'http://[::ffff:169.254.169.254]/',
    'http://metadata.google.internal/computeMetadata',
    'http://user:pass@example.com/v1',
    'ftp://example.com',
  ])('422: does not go to %s', async (baseUrl) => {
    const { put, own } = await start();
    expect(await (await put({ ...own, baseUrl })).json()).toMatchObject({
      status: 422,
      errors: [{ pointer: '/baseUrl' }],
    });
  });

  it('409: refuses a version that is not the last', async () => {
    const { put, own } = await start();
    await put(own);
    expect((await put(own, { 'If-Match': '"1"' })).status).toBe(409);
  });
});

describe('the models of an org', () => {
  const listing = { data: [{ id: 'small' }, { id: 'gpt-4o' }] };

  it('200: are listed with the prices of the org before those that are known', async () => {
    const { put, own, request } = await start({ body: { ...chatCompletion({ text: 'OK' }), ...listing } });
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

  it('422: have one price each, in dollars', async () => {
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

async function actionsOfViewer(request: Awaited<ReturnType<typeof startApi>>['request']): Promise<string> {
  const { actions } = (await (await request(path, { role: 'viewer' })).json()) as { actions: { allowed: boolean }[] };
  expect(actions.map(({ allowed }) => allowed)).toEqual([false, false, false]);
  return `"actions":${JSON.stringify(actions)}}`;
}
