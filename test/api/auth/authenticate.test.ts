import { describe, expect, it } from 'vitest';
import { ApiTokenKind } from '../../../src/rules/access/kinds.ts';
import { startApi } from '../../support/start-api.ts';
import { credentials, startApiWithUser } from './session-fixture.ts';

type MintedToken = { name: string; token: string };

async function startApiWithToken(options: { now?: () => Date } = {}) {
  const api = await startApi({ role: 'viewer', ...options });
  const response = await api.request('/v1/me/tokens', { method: 'POST', body: { label: 'laptop' } });
  const minted = (await response.json()) as MintedToken;
  const requestWithToken = async (path: string) =>
    api.request(path, { role: 'anonymous', headers: { Authorization: `Bearer ${minted.token}` } });
  const readToken = async () => api.store.get(ApiTokenKind, { namespace: 'service-system', name: minted.name });
  return { ...api, requestWithToken, readToken };
}

describe('an API token', () => {
  it('has the current roles of its owner', async () => {
    const { requestWithToken, request } = await startApiWithToken();
    expect((await requestWithToken('/v1/orgs/acme')).status).toBe(200);
    await request('/v1/orgs/acme/access-groups', {
      method: 'PUT',
      role: 'platform-admin',
      body: { accessGroups: [] },
      headers: { 'If-Match': '*' },
    });
    expect((await requestWithToken('/v1/orgs/acme')).status).toBe(403);
  });

  it('401: is rejected after it has expired', async () => {
    let now = Date.parse('2027-01-01T00:00:00Z');
    const { request } = await startApi({ role: 'viewer', now: () => new Date(now) });
    const body = { label: 'short', expiresAt: '2027-01-01T01:00:00Z' };
    const { token } = (await (await request('/v1/me/tokens', { method: 'POST', body })).json()) as MintedToken;
    const call = async () => request('/v1/me', { role: 'anonymous', headers: { Authorization: `Bearer ${token}` } });
    expect((await call()).status).toBe(200);
    now += 60 * 60_000;
    expect(await (await call()).json()).toMatchObject({ status: 401, reason: 'token-expired' });
    expect((await request('/v1/me/tokens', { method: 'POST', body })).status).toBe(422);
  });

  it('401: is rejected when the Authorization header is malformed', async () => {
    const { request } = await startApi({ role: 'anonymous' });
    const response = await request('/v1/me', { headers: { Authorization: 'Basic am86cHc=' } });
    expect(await response.json()).toMatchObject({ status: 401, detail: expect.stringContaining('malformed') });
  });

  it('records its last use at most once a minute', async () => {
    let now = Date.parse('2027-01-01T00:00:00Z');
    const { requestWithToken, readToken } = await startApiWithToken({ now: () => new Date(now) });
    await requestWithToken('/v1/me');
    const first = await readToken();
    expect(first.status?.lastUsedAt).toBe('2027-01-01T00:00:00.000Z');
    now += 59_000;
    await requestWithToken('/v1/me');
    expect((await readToken()).metadata.resourceVersion).toBe(first.metadata.resourceVersion);
    now += 1000;
    await requestWithToken('/v1/me');
    expect((await readToken()).status?.lastUsedAt).toBe('2027-01-01T00:01:00.000Z');
  });

  it('records its last use once for concurrent requests', async () => {
    let now = Date.parse('2027-01-01T00:00:00Z');
    const { requestWithToken, readToken } = await startApiWithToken({ now: () => new Date(now++) });
    const readVersion = async () => Number((await readToken()).metadata.resourceVersion);
    const before = await readVersion();
    await Promise.all(Array.from({ length: 20 }, async () => await requestWithToken('/v1/me')));
    expect((await readVersion()) - before).toBe(1);
  });
});

describe('a browser session', () => {
  it('401: expires after twelve hours of use, or two hours without it', async () => {
    let now = Date.now();
    const { requestWithSession, signIn, request } = await startApiWithUser(() => new Date(now));
    const statuses: number[] = [];
    for (let hours = 0; hours < 12; hours += 1.5) {
      statuses.push((await requestWithSession('/v1/me')).status);
      now += 1.5 * 60 * 60_000;
    }
    expect(statuses).toEqual(Array.from({ length: 8 }, () => 200));
    expect(await (await requestWithSession('/v1/me')).json()).toMatchObject({ status: 401, reason: 'token-expired' });
    const young = (await signIn(credentials)).headers.get('Set-Cookie')?.split(';')[0] ?? '';
    now += 2 * 60 * 60_000;
    const response = await request('/v1/me', { role: 'anonymous', headers: { Cookie: young } });
    expect(await response.json()).toMatchObject({ status: 401, reason: 'token-expired' });
  });

  it('401: is not accepted next to another cookie of its name, which a sibling host may have set', async () => {
    const { request, cookie } = await startApiWithUser();
    const callWith = async (cookies: string) =>
      await request('/v1/me', { role: 'anonymous', headers: { Cookie: cookies } });
    for (const cookies of [`svc_session=planted; ${cookie}`, `${cookie}; svc_session=planted`])
      expect(await (await callWith(cookies)).json()).toMatchObject({ status: 401, reason: 'ambiguous-cookie' });
    expect((await callWith(`one=1; ${cookie}`)).status).toBe(200);
  });

  it('has on https a name that no other host can set', async () => {
    const { cookie, request } = await startApiWithUser(undefined, { publicUrl: 'https://delivery.example.com' });
    expect(cookie).toMatch(/^__Host-svc_session=svc_/);
    const callWith = async (Cookie: string) =>
      (await request('/v1/me', { role: 'anonymous', headers: { Cookie } })).status;
    expect(await callWith(cookie)).toBe(200);
    expect(await callWith(`svc_session=planted; ${cookie}`)).toBe(200);
    expect(await callWith(cookie.replace('__Host-', ''))).toBe(401);
  });

  it('403: cannot make changes from a page of another site', async () => {
    const { requestWithSession } = await startApiWithUser();
    const mint = async (headers: Record<string, string>) =>
      requestWithSession('/v1/me/tokens', { method: 'POST', body: { label: 'x' }, headers });
    const crossOrigin = await mint({ Origin: 'https://elsewhere.example' });
    expect(await crossOrigin.json()).toMatchObject({ status: 403, reason: 'cross-origin-request' });
    expect((await mint({ 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403);
    expect((await mint({ Origin: 'http://localhost:8080' })).status).toBe(201);
    expect((await mint({})).status).toBe(201);
  });

  it('401: is not accepted as a bearer token, and a token not as a session', async () => {
    const { requestWithSession, request, tokenFor, cookie } = await startApiWithUser();
    const response = await requestWithSession('/v1/me/tokens', { method: 'POST', body: { label: 'x' } });
    const minted = (await response.json()) as MintedToken;
    const callWith = async (headers: Record<string, string>) =>
      (await request('/v1/me', { role: 'anonymous', headers })).status;
    expect(await callWith({ Authorization: `Bearer ${minted.token}` })).toBe(200);
    expect(await callWith({ Authorization: `Bearer ${cookie.split('=')[1]}` })).toBe(401);
    expect(await callWith({ Cookie: `svc_session=${await tokenFor('viewer')}` })).toBe(401);
  });
});
