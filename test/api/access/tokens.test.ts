import { describe, expect, it } from 'vitest';
import { tokenName } from '../../../api/auth/authenticate.ts';
import { userName } from '../../../src/rules/access/user-name.ts';
import { loadConfig } from '../../../src/config.ts';
import { ApiTokenKind, UserKind } from '../../../src/rules/access/kinds.ts';
import { systemNamespace } from '../../../src/rules/resource.ts';
import { startApi, type CallerRole } from '../../support/start-api.ts';
import { startApiWithUser } from '../auth/session-fixture.ts';

type MintedToken = { name: string; token: string };

async function mintToken() {
  const api = await startApi({ role: 'viewer' });
  const response = await api.request('/v1/me/tokens', { method: 'POST', via: 'session', body: { label: 'laptop' } });
  const minted = (await response.json()) as MintedToken;
  const requestWithToken = async (path: string) =>
    api.request(path, { role: 'anonymous', headers: { Authorization: `Bearer ${minted.token}` } });
  return { ...api, response, minted, requestWithToken };
}

describe('mintToken', () => {
  it('201: shows the token once, and stores only its hash', async () => {
    const { response, minted, request, store } = await mintToken();
    expect(response.status).toBe(201);
    expect(minted.token).toMatch(/^svc_[0-9A-Za-z]{49}$/);
    // No operation reads a single token.
    expect(response.headers.has('Location')).toBe(false);
    expect(await (await request('/v1/me/tokens')).text()).not.toContain(minted.token);
    expect(JSON.stringify(await store.list(ApiTokenKind))).not.toContain(minted.token);
  });

  it('201: expires after 90 days unless asked otherwise, and 422 after a year', async () => {
    const now = new Date('2027-01-01T00:00:00.000Z');
    const { requestWithSession } = await startApiWithUser(() => now);
    const mint = async (expiresAt?: string) =>
      await (
        await requestWithSession('/v1/me/tokens', {
          method: 'POST',
          body: { label: 'x', ...(expiresAt !== undefined && { expiresAt }) },
        })
      ).json();
    expect(await mint()).toMatchObject({ expiresAt: '2027-04-01T00:00:00.000Z' });
    expect(await mint('2027-12-31T00:00:00Z')).toMatchObject({ expiresAt: '2027-12-31T00:00:00Z' });
    expect(await mint('2027-12-31T02:00:00+02:00')).toMatchObject({ expiresAt: '2027-12-31T00:00:00.000Z' });
    expect(await mint('2028-01-02T00:00:00Z')).toMatchObject({
      status: 422,
      errors: [{ pointer: '/expiresAt', detail: expect.stringContaining('TOKEN_DAYS_MAX') }],
    });
  });

  it('describes the lifetimes that the installation gives tokens, as every operation does that creates one', async () => {
    type Body = { content: Record<string, { schema: { properties?: Record<string, { description: string }> } }> };
    const { request } = await startApi();
    const { paths } = (await (await request('/openapi.json')).json()) as {
      paths: Record<string, Record<string, { operationId: string; requestBody?: Body }>>;
    };
    const described = Object.values(paths)
      .flatMap((item) => Object.values(item))
      .flatMap(({ operationId, requestBody }) => {
        const expiry = requestBody?.content['application/json']?.schema.properties?.['expiresAt'];
        return expiry ? [[operationId, expiry.description] as const] : [];
      });
    expect(described.map(([operation]) => operation).toSorted()).toEqual(['approveDeviceSignIn', 'mintToken']);
    const { defaultDays, maxDays } = loadConfig({}).tokenLifetime;
    for (const [, description] of described)
      expect(description).toMatch(new RegExp(`defaults to [^.]*\\b${defaultDays} days[^.]*\\. .*\\b${maxDays} days`));
  });

  it('429: refuses more tokens per person than the quota, also at once', async () => {
    const quotas = { ...loadConfig({}).quotas, tokensPerUser: 4 };
    const { request } = await startApi({ role: 'viewer', config: { quotas } });
    const responses = await Promise.all(
      Array.from({ length: 6 }, () =>
        request('/v1/me/tokens', { method: 'POST', via: 'session', body: { label: 'x' } }),
      ),
    );
    expect(responses.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 201, 429, 429]);
    expect(await responses.find(({ status }) => status === 429)?.json()).toMatchObject({
      reason: 'quota-reached',
      detail: expect.stringContaining('4 API tokens (QUOTA_TOKENS_PER_USER)'),
    });
    const init = { method: 'POST', via: 'session', role: 'member', body: { label: 'x' } } as const;
    expect((await request('/v1/me/tokens', init)).status).toBe(201);
  });

  it.each(['laptop\u202e', 'lap\u200btop', 'two\nlines', ' '])('422: refuses the label %j', async (label) => {
    const { requestWithSession } = await startApiWithUser();
    const response = await requestWithSession('/v1/me/tokens', { method: 'POST', body: { label } });
    expect(await response.json()).toMatchObject({ status: 422, errors: [{ pointer: '/label' }] });
  });

  it('403: is refused to a token, also that of a platform admin', async () => {
    const { request, store } = await startApi();
    const count = async () => (await store.list(ApiTokenKind)).items.length;
    const before = await request('/v1/me/tokens').then(count);
    const response = await request('/v1/me/tokens', { method: 'POST', body: { label: 'x' } });
    expect(await response.json()).toMatchObject({ status: 403, reason: 'session-required' });
    expect(await count()).toBe(before);
  });
});

describe('a token with a limited role', () => {
  async function mintLimited(owner: CallerRole, roleMax: string) {
    const api = await startApi({ role: owner });
    const body = { label: 'ci', roleMax };
    const minted = (await (
      await api.request('/v1/me/tokens', { method: 'POST', via: 'session', body })
    ).json()) as MintedToken;
    const headers = { Authorization: `Bearer ${minted.token}` };
    const call = async (path: string, init: { method?: string; body?: object } = {}) =>
      await api.request(path, { ...init, role: 'anonymous', headers });
    return { ...api, minted, call };
  }

  it('has at most that role in every org', async () => {
    const { minted, call } = await mintLimited('org-admin', 'viewer');
    expect(minted).toMatchObject({ roleMax: 'viewer' });
    expect(await (await call('/v1/me')).json()).toMatchObject({
      roleMax: 'viewer',
      orgs: [{ org: 'acme', role: 'viewer' }],
    });
    expect((await call('/v1/orgs/acme/products')).status).toBe(200);
    const body = { name: 'shop', spec: { repos: [] } };
    expect(await (await call('/v1/orgs/acme/products', { method: 'POST', body })).json()).toMatchObject({
      status: 403,
      reason: 'insufficient-role',
    });
  });

  it('gives no role to a person who has none', async () => {
    const { call } = await mintLimited('no-role', 'org-admin');
    expect((await call('/v1/orgs/acme/products')).status).toBe(403);
  });

  it('administers no installation', async () => {
    const { call } = await mintLimited('platform-admin', 'org-admin');
    expect(await (await call('/v1/me')).json()).toMatchObject({
      platformAdmin: false,
      orgs: [{ org: 'acme', role: 'org-admin' }],
    });
    expect((await call('/v1/orgs', { method: 'POST', body: { name: 'beta' } })).status).toBe(403);
    expect(await (await call('/v1/status')).json()).not.toHaveProperty('resources');
  });

  it('403: ends no session of its owner, and revokes only itself', async () => {
    const { request, minted, call } = await mintLimited('org-admin', 'viewer');
    const body = { label: 'deploy' };
    const other = (await (
      await request('/v1/me/tokens', { method: 'POST', via: 'session', body })
    ).json()) as MintedToken;
    for (const path of ['/v1/me/sessions', `/v1/me/tokens/${other.name}`])
      expect(await (await call(path, { method: 'DELETE' })).json()).toMatchObject({
        status: 403,
        reason: 'insufficient-role',
      });
    expect((await request('/v1/me', { via: 'session' })).status).toBe(200);
    expect((await call(`/v1/me/tokens/${minted.name}`, { method: 'DELETE' })).status).toBe(204);
    expect((await call('/v1/me')).status).toBe(401);
  });

  it('gets no cached response that its owner got with more rights', async () => {
    const { request, call } = await mintLimited('platform-admin', 'viewer');
    const readActions = async (response: Promise<Response>) => {
      const { items } = (await (await response).json()) as { items: { actions: { allowed: boolean }[] }[] };
      return items.flatMap(({ actions }) => actions.map(({ allowed }) => allowed));
    };
    // The first request with a token is recorded, which would end what is cached.
    await call('/v1/orgs');
    expect(await readActions(request('/v1/orgs'))).toContain(true);
    expect(await readActions(call('/v1/orgs'))).not.toContain(true);
  });
});

describe('the tokens of a removed person', () => {
  it('401: stay invalid when a person is created under the same address', async () => {
    const { store, request, tokenFor } = await startApi({ role: 'member' });
    const token = (await tokenFor('member')) ?? '';
    const own = await store.get(ApiTokenKind, { namespace: systemNamespace, name: tokenName(token) });
    expect((await request('/v1/me')).status).toBe(200);
    const { metadata, spec } = await store.get(UserKind, {
      namespace: systemNamespace,
      name: userName('member@example.com'),
    });
    await store.delete(UserKind, metadata);
    await store.create(UserKind, { metadata: { namespace: systemNamespace, name: metadata.name }, spec });
    // A cluster deletes what the person owned only some time later.
    await store.create(ApiTokenKind, {
      metadata: { namespace: systemNamespace, name: tokenName(token) },
      spec: own.spec,
    });
    expect(await (await request('/v1/me')).json()).toMatchObject({ status: 401, reason: 'token-revoked' });
  });

  it('are deleted with the person', async () => {
    const { store, requestWithSession } = await startApiWithUser();
    await requestWithSession('/v1/me/tokens', { method: 'POST', body: { label: 'x' } });
    const name = userName('jo@example.com');
    const listUses = async () =>
      (await store.list(ApiTokenKind, { fields: { 'spec.user': name } })).items.map(({ spec }) => spec.use).toSorted();
    expect(await listUses()).toEqual(['session', 'token']);
    await store.delete(UserKind, { namespace: systemNamespace, name });
    expect(await listUses()).toEqual([]);
  });
});

describe('listMyTokens', () => {
  it('200: contains the tokens of the caller only', async () => {
    const { minted, request } = await mintToken();
    expect(await (await request('/v1/me/tokens')).text()).toContain(minted.name);
    expect(await (await request('/v1/me/tokens', { role: 'member' })).text()).not.toContain(minted.name);
  });

  it('200: finds tokens by their label, and contains no session', async () => {
    const { requestWithSession } = await startApiWithUser();
    for (const label of ['Laptop', 'ci'])
      await requestWithSession('/v1/me/tokens', { method: 'POST', body: { label } });
    const listLabels = async (query = '') => {
      const { items } = (await (await requestWithSession(`/v1/me/tokens${query}`)).json()) as {
        items: { label: string }[];
      };
      return items.map(({ label }) => label).toSorted();
    };
    expect(await listLabels()).toEqual(['Laptop', 'ci']);
    expect(await listLabels('?q=lap')).toEqual(['Laptop']);
    expect(await listLabels('?until=2000-01-01T00:00:00Z')).toEqual([]);
  });
});

describe('revokeToken', () => {
  it('204: the token is rejected from its next request on', async () => {
    const { requestWithToken, request, minted } = await mintToken();
    expect((await requestWithToken('/v1/me')).status).toBe(200);
    expect((await request(`/v1/me/tokens/${minted.name}`, { method: 'DELETE' })).status).toBe(204);
    expect(await (await requestWithToken('/v1/me')).json()).toMatchObject({ status: 401, reason: 'token-revoked' });
  });

  it('404: rejects the token of another user', async () => {
    const { request, minted, requestWithToken } = await mintToken();
    const revokeAs = async (role: CallerRole) =>
      (await request(`/v1/me/tokens/${minted.name}`, { method: 'DELETE', role })).status;
    expect(await revokeAs('platform-admin')).toBe(404);
    expect((await requestWithToken('/v1/me')).status).toBe(200);
  });

  it('404: revokes no session, which only signing out ends', async () => {
    const { requestWithSession, cookie } = await startApiWithUser();
    const session = `/v1/me/tokens/${tokenName(cookie.split('=')[1] ?? '')}`;
    expect((await requestWithSession(session, { method: 'DELETE' })).status).toBe(404);
    expect((await requestWithSession('/v1/me')).status).toBe(200);
  });
});
