import { describe, expect, it } from 'vitest';
import { ApiTokenKind } from '../../../src/rules/access/kinds.ts';
import { startApi, type Role } from '../../support/start-api.ts';

type Minted = { name: string; token: string };

async function withToken(options: { now?: () => Date } = {}) {
  const api = await startApi({ role: 'viewer', ...options });
  const response = await api.request('/v1/me/tokens', { method: 'POST', body: { label: 'laptop' } });
  const minted = (await response.json()) as Minted;
  const call = async (path: string) =>
    api.request(path, { role: 'nobody', headers: { Authorization: `Bearer ${minted.token}` } });
  return { ...api, response, minted, call };
}

describe('an API token', () => {
  it('201: is shown once, and only its hash is kept', async () => {
    const { response, minted, request, store } = await withToken();
    expect(response.status).toBe(201);
    expect(minted.token).toMatch(/^svc_[0-9A-Za-z]{49}$/);
    expect(response.headers.get('Location')).toBe(`/api/v1/me/tokens/${minted.name}`);
    const listed = await (await request('/v1/me/tokens')).text();
    expect(listed).toContain(minted.name);
    expect(listed).not.toContain(minted.token);
    expect(JSON.stringify(await store.list(ApiTokenKind))).not.toContain(minted.token);
  });

  it('acts with its owner’s roles as they are at the time of the call', async () => {
    const { call, request } = await withToken();
    expect((await call('/v1/orgs/acme')).status).toBe(200);
    await request('/v1/orgs/acme/access-groups', { method: 'PUT', role: 'platform-admin', body: { accessGroups: [] } });
    expect((await call('/v1/orgs/acme')).status).toBe(403);
  });

  it('401: is refused from the request after its revocation on', async () => {
    const { call, request, minted } = await withToken();
    expect((await call('/v1/me')).status).toBe(200);
    expect((await request(`/v1/me/tokens/${minted.name}`, { method: 'DELETE' })).status).toBe(204);
    expect((await call('/v1/me')).status).toBe(401);
  });

  it('401: is refused once it has expired', async () => {
    let now = Date.parse('2027-01-01T00:00:00Z');
    const { request } = await startApi({ role: 'viewer', now: () => new Date(now) });
    const body = { label: 'short', expiresAt: '2027-01-01T01:00:00Z' };
    const { token } = (await (await request('/v1/me/tokens', { method: 'POST', body })).json()) as Minted;
    const call = async () =>
      (await request('/v1/me', { role: 'nobody', headers: { Authorization: `Bearer ${token}` } })).status;
    expect(await call()).toBe(200);
    now += 60 * 60_000;
    expect(await call()).toBe(401);
    expect((await request('/v1/me/tokens', { method: 'POST', body })).status).toBe(422);
  });

  it('404: of somebody else cannot be revoked', async () => {
    const { request, minted, call } = await withToken();
    const byOther = async (role: Role) =>
      (await request(`/v1/me/tokens/${minted.name}`, { method: 'DELETE', role })).status;
    expect(await byOther('platform-admin')).toBe(404);
    expect((await call('/v1/me')).status).toBe(200);
  });

  it('records its last use, at most once a minute', async () => {
    let now = Date.parse('2027-01-01T00:00:00Z');
    const { call, store, minted } = await withToken({ now: () => new Date(now) });
    const stored = async () => store.get(ApiTokenKind, { namespace: 'service-system', name: minted.name });
    await call('/v1/me');
    const first = await stored();
    expect(first.status?.lastUsedAt).toBe('2027-01-01T00:00:00.000Z');
    now += 59_000;
    await call('/v1/me');
    expect((await stored()).metadata.resourceVersion).toBe(first.metadata.resourceVersion);
    now += 1000;
    await call('/v1/me');
    expect((await stored()).status?.lastUsedAt).toBe('2027-01-01T00:01:00.000Z');
  });

  it('records its last use once when many come at once', async () => {
    let now = Date.parse('2027-01-01T00:00:00Z');
    const { call, store, minted } = await withToken({ now: () => new Date(now++) });
    const version = async () =>
      Number(
        (await store.get(ApiTokenKind, { namespace: 'service-system', name: minted.name })).metadata.resourceVersion,
      );
    const before = await version();
    await Promise.all(Array.from({ length: 20 }, async () => await call('/v1/me')));
    expect((await version()) - before).toBe(1);
  });
});
