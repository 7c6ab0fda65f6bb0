import { describe, expect, it } from 'vitest';
import { readSecretText, SecretKind, toSecretData } from '../../../src/kinds/kubernetes.ts';
import { IdentityProviderKind } from '../../../src/rules/access/identity-provider.ts';
import { ApiTokenKind } from '../../../src/rules/access/kinds.ts';
import { withAcceptedCondition } from '../../../src/rules/conditions.ts';
import { systemNamespace } from '../../../src/rules/resource.ts';
import { startHostileProvider } from '../../support/servers/hostile-openid-provider.ts';
import { openIdClient, startOpenIdProvider } from '../../support/servers/openid-provider.ts';
import { forgetResponses } from '../../support/forget-responses.ts';
import { makePlatformAdmin } from '../../clients/ui/settings-fixture.ts';
import { toCallbackUrl, startApiForSignIn, startWithProvider, toCookies } from './sign-in-fixture.ts';

const path = '/v1/identity-providers';
const secretRef = { namespace: systemNamespace, name: 'identity-provider-sso' };
const toSpec = (issuer: string) => ({ label: 'Tidewater SSO', issuer, clientId: openIdClient.clientId });

describe('createIdentityProvider', () => {
  it('201: saves the provider and its secret, which no response contains', async () => {
    const { issuer } = await startOpenIdProvider({ redirectUris: [toCallbackUrl('sso')] });
    const { asAdmin, store } = await startApiForSignIn();
    const body = { name: 'sso', spec: toSpec(issuer), clientSecret: openIdClient.clientSecret };
    const response = await asAdmin(path, { method: 'POST', body });
    expect(response.status).toBe(201);
    const text = await response.text();
    const view = JSON.parse(text) as { resourceVersion: string };
    expect(view).toMatchObject({ name: 'sso', redirectUri: toCallbackUrl('sso'), hasClientSecret: true });
    expect(response.headers.get('ETag')).toContain(`"${view.resourceVersion}.`);
    const texts = [text, await (await asAdmin(path)).text(), await (await asAdmin(`${path}/sso`)).text()];
    expect(texts.filter((one) => one.includes(openIdClient.clientSecret))).toEqual([]);
    expect(readSecretText(await store.find(SecretKind, secretRef), 'client-secret')).toBe(openIdClient.clientSecret);
  });

  it('201: completes a request that was interrupted before the secret, for its own Idempotency-Key only', async () => {
    const { issuer } = await startOpenIdProvider({ redirectUris: [toCallbackUrl('sso')] });
    const { asAdmin, store } = await startApiForSignIn();
    const body = { name: 'sso', spec: toSpec(issuer), clientSecret: openIdClient.clientSecret };
    const create = async (key: string): Promise<number> =>
      (await asAdmin(path, { method: 'POST', body, headers: { 'Idempotency-Key': key } })).status;
    expect(await create('one')).toBe(201);
    await store.delete(SecretKind, secretRef);
    await forgetResponses(store);
    expect(await create('two')).toBe(409);
    expect(await create('one')).toBe(201);
    expect(readSecretText(await store.find(SecretKind, secretRef), 'client-secret')).toBe(openIdClient.clientSecret);
  });

  it('201: gives a provider without a secret none that another issuer had', async () => {
    const { issuer } = await startOpenIdProvider({ redirectUris: [toCallbackUrl('sso')] });
    const { asAdmin, store } = await startApiForSignIn();
    // A Secret that was applied with kubectl outlives its provider.
    const data = toSecretData({ 'client-secret': 'of another issuer' });
    await store.create(SecretKind, { metadata: secretRef, type: 'Opaque', data });
    expect((await asAdmin(path, { method: 'POST', body: { name: 'sso', spec: toSpec(issuer) } })).status).toBe(201);
    expect(await (await asAdmin(`${path}/sso`)).json()).toMatchObject({ hasClientSecret: false });
    expect(await store.find(SecretKind, secretRef)).toBeUndefined();
  });

  it('403: refuses a token of a platform admin, whose owner may not be there', async () => {
    const { request } = await startApiForSignIn();
    const body = { name: 'sso', spec: toSpec('https://sso.example.com') };
    const response = await request(path, { method: 'POST', body, role: 'platform-admin' });
    expect(await response.json()).toMatchObject({ status: 403, reason: 'password-session-required' });
  });

  it('403: refuses a session that began at a provider, even of a platform admin', async () => {
    const { signIn, store, request } = await startWithProvider();
    const cookies = toCookies(await signIn('sso', 'ada'));
    await makePlatformAdmin(store, 'ada@example.com');
    const response = await request(`${path}/sso`, {
      method: 'DELETE',
      role: 'anonymous',
      headers: { Cookie: cookies },
    });
    expect(await response.json()).toMatchObject({ status: 403, reason: 'password-session-required' });
  });

  it('409: keeps the provider that has the name', async () => {
    const { asAdmin, provider } = await startWithProvider();
    const body = { name: 'sso', spec: toSpec(provider.issuer), clientSecret: 'another' };
    expect((await asAdmin(path, { method: 'POST', body })).status).toBe(409);
  });

  it.each([
    ['serves no configuration', (issuer: string) => `${issuer}/other`, 'unexpected response'],
    ['cannot be reached', () => 'http://127.0.0.1:1', 'cannot be reached'],
    ['is inside the network', () => 'http://10.0.0.1', 'no public address'],
    ['is a metadata service', () => 'http://169.254.169.254', 'no public address'],
    ['names itself otherwise', (issuer: string) => `${issuer}/`, 'calls itself'],
  ])('422: refuses an issuer that %s', async (_, toIssuer, detail) => {
    const { issuer } = await startOpenIdProvider({ redirectUris: [toCallbackUrl('sso')] });
    const { asAdmin, store } = await startApiForSignIn();
    const response = await asAdmin(path, { method: 'POST', body: { name: 'sso', spec: toSpec(toIssuer(issuer)) } });
    expect(await response.json()).toMatchObject({
      status: 422,
      reason: 'identity-provider-unusable',
      errors: [{ pointer: '/spec/issuer', detail: expect.stringContaining(detail) }],
    });
    expect(await store.find(SecretKind, secretRef)).toBeUndefined();
  });

  it.each([
    ['a user in the URL', { issuer: 'https://me:secret@sso.example.com' }, '/spec/issuer'],
    ['a query in the URL', { issuer: 'https://sso.example.com?tenant=a' }, '/spec/issuer'],
    ['another scheme', { issuer: 'file:///etc/passwd' }, '/spec/issuer'],
    ['a scope with a space', { scopes: ['openid email'] }, '/spec/scopes/0'],
    ['a domain in capitals', { emailDomains: ['Example.com'] }, '/spec/emailDomains/0'],
    ['an unknown field', { redirectUri: 'https://evil.example' }, '/spec/redirectUri'],
  ])('422: refuses %s', async (_, change, pointer) => {
    const { asAdmin } = await startApiForSignIn();
    const body = { name: 'sso', spec: { ...toSpec('https://sso.example.com'), ...change } };
    const response = await asAdmin(path, { method: 'POST', body });
    expect(await response.json()).toMatchObject({ status: 422, errors: [{ pointer }] });
  });

  it('asks no host that the configuration names inside the network', async () => {
    const hostile = await startHostileProvider();
    hostile.answer.metadata = { jwks_uri: 'http://169.254.169.254/latest', token_endpoint: 'http://10.0.0.1/token' };
    const { addProvider, start, finish } = await startApiForSignIn();
    await addProvider('sso', hostile.issuer);
    const { url, cookies } = await start('sso');
    const state = new URL(url).searchParams.get('state') ?? '';
    const query = new URLSearchParams({ code: 'one', state, iss: hostile.issuer });
    const response = await finish(`${toCallbackUrl('sso')}?${query.toString()}`, cookies);
    expect(await response.json()).toMatchObject({ status: 422, reason: 'identity-provider-unusable' });
  });
});

describe('listIdentityProviders', () => {
  it('200: lists the providers by name', async () => {
    const { issuer } = await startOpenIdProvider({ redirectUris: [toCallbackUrl('sso')] });
    const { asAdmin, addProvider } = await startApiForSignIn();
    for (const name of ['two', 'one']) await addProvider(name, issuer);
    const { items } = (await (await asAdmin(path)).json()) as { items: { name: string }[] };
    expect(items.map(({ name }) => name)).toEqual(['one', 'two']);
  });
});

describe('a provider that was rejected', () => {
  it('404: is not offered, and begins no sign-in', async () => {
    const { start, store, request } = await startWithProvider();
    await store.updateStatus(IdentityProviderKind, { namespace: systemNamespace, name: 'sso' }, () => ({
      conditions: withAcceptedCondition([], {
        rejection: 'The issuer is inside the network.',
        generation: 1,
        at: '2026-01-01T00:00:00.000Z',
      }),
    }));
    const methods = await request('/v1/auth/methods', { role: 'anonymous' });
    expect(await methods.json()).toMatchObject({ identityProviders: [] });
    expect((await start('sso')).response.status).toBe(404);
  });
});

describe('getIdentityProvider', () => {
  it('404: names the provider that is missing', async () => {
    const { asAdmin } = await startApiForSignIn();
    expect(await (await asAdmin(`${path}/sso`)).json()).toMatchObject({
      status: 404,
      detail: expect.stringContaining('"sso"'),
    });
  });
});

describe('replaceIdentityProvider', () => {
  it('200: changes the settings and keeps the secret', async () => {
    const { asAdmin, provider, signIn } = await startWithProvider();
    const spec = { ...toSpec(provider.issuer), label: 'Renamed' };
    const response = await asAdmin(`${path}/sso`, { method: 'PUT', body: { spec }, headers: { 'If-Match': '*' } });
    expect(await response.json()).toMatchObject({ spec: { label: 'Renamed' }, hasClientSecret: true });
    expect((await signIn('sso', 'ada')).status).toBe(303);
  });

  it('200: replaces the secret', async () => {
    const { asAdmin, provider, signIn } = await startWithProvider();
    const body = { spec: toSpec(provider.issuer), clientSecret: 'not the one of the provider' };
    expect((await asAdmin(`${path}/sso`, { method: 'PUT', body, headers: { 'If-Match': '*' } })).status).toBe(200);
    const refused = await signIn('sso', 'ada');
    expect(await refused.json()).toMatchObject({
      status: 503,
      reason: 'identity-provider-unavailable',
      detail: expect.stringContaining('client id and secret'),
    });
  });

  it('422: keeps the issuer, because another one would get the secret and the users', async () => {
    const { asAdmin } = await startWithProvider();
    const other = await startOpenIdProvider({ redirectUris: [toCallbackUrl('sso')] });
    const body = { spec: toSpec(other.issuer) };
    const response = await asAdmin(`${path}/sso`, { method: 'PUT', body, headers: { 'If-Match': '*' } });
    expect(await response.json()).toMatchObject({ status: 422, errors: [{ pointer: '/spec/issuer' }] });
    expect(other.requests).toEqual([]);
  });

  it('200: takes the ETag of a response; 412: refuses an earlier one, and does not delete by it', async () => {
    const { asAdmin, provider } = await startWithProvider();
    const readTag = ({ headers }: Response): string => headers.get('ETag') ?? '';
    const send = async (method: string, etag: string, label: string) => {
      const body = method === 'PUT' ? { body: { spec: { ...toSpec(provider.issuer), label } } } : {};
      return await asAdmin(`${path}/sso`, { method, ...body, headers: { 'If-Match': etag } });
    };
    const read = readTag(await asAdmin(`${path}/sso`));
    const first = await send('PUT', read, 'One');
    const second = await send('PUT', readTag(first), 'Two');
    expect([first.status, second.status]).toEqual([200, 200]);
    expect((await send('PUT', read, 'Three')).status).toBe(412);
    expect((await send('DELETE', read, '')).status).toBe(412);
    expect((await send('DELETE', readTag(second), '')).status).toBe(204);
  });

  it('409: refuses a version that is no longer current', async () => {
    const { asAdmin, provider } = await startWithProvider();
    const body = { spec: toSpec(provider.issuer), resourceVersion: '1' };
    expect((await asAdmin(`${path}/sso`, { method: 'PUT', body })).status).toBe(409);
  });
});

describe('deleteIdentityProvider', () => {
  it('204: ends the sessions that began there, also when a provider of the name is added again', async () => {
    const { request, asAdmin, addProvider, provider, signIn, requestWith, store } = await startWithProvider();
    const cookies = toCookies(await signIn('sso', 'ada'));
    expect((await requestWith('/v1/me', cookies)).status).toBe(200);
    const minted = await request('/v1/me/tokens', {
      method: 'POST',
      body: { label: 'script' },
      role: 'anonymous',
      headers: { Cookie: cookies },
    });
    const { token } = (await minted.json()) as { token: string };
    expect((await asAdmin(`${path}/sso`, { method: 'DELETE' })).status).toBe(204);
    const headers = { Authorization: `Bearer ${token}` };
    expect((await request('/v1/me', { role: 'anonymous', headers })).status).toBe(401);
    expect((await requestWith('/v1/me', cookies)).status).toBe(401);
    await addProvider('sso', provider.issuer);
    expect((await requestWith('/v1/me', cookies)).status).toBe(401);
    const left = (await store.list(ApiTokenKind)).items.filter(({ spec }) => spec.identityProvider);
    expect(left).toEqual([]);
    const secrets = (await store.list(SecretKind, { namespace: systemNamespace })).items.map(
      ({ metadata }) => metadata.name,
    );
    expect(secrets.filter((name) => name.startsWith('refresh-token-'))).toEqual([]);
    expect((await signIn('sso', 'ada')).status).toBe(303);
  });
});
