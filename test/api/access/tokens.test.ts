import { describe, expect, it } from 'vitest';
import { ApiTokenKind } from '../../../src/rules/access/kinds.ts';
import { startApi, type CallerRole } from '../../support/start-api.ts';

type MintedToken = { name: string; token: string };

async function mintToken() {
  const api = await startApi({ role: 'viewer' });
  const response = await api.request('/v1/me/tokens', { method: 'POST', body: { label: 'laptop' } });
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
    expect(response.headers.get('Location')).toBe(`/api/v1/me/tokens/${minted.name}`);
    expect(await (await request('/v1/me/tokens')).text()).not.toContain(minted.token);
    expect(JSON.stringify(await store.list(ApiTokenKind))).not.toContain(minted.token);
  });
});

describe('listMyTokens', () => {
  it('200: contains the tokens of the caller only', async () => {
    const { minted, request } = await mintToken();
    expect(await (await request('/v1/me/tokens')).text()).toContain(minted.name);
    expect(await (await request('/v1/me/tokens', { role: 'member' })).text()).not.toContain(minted.name);
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
});
