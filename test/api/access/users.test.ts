import { describe, expect, it } from 'vitest';
import { startApi } from '../../support/start-api.ts';

const body = { email: 'jo@example.com', password: 'a long enough password' };

describe('createUser', () => {
  it('201: creates a user who is not a platform admin', async () => {
    const { request } = await startApi();
    const response = await request('/v1/access/users', { method: 'POST', body });
    expect(response.status).toBe(201);
    expect(await response.json()).toMatchObject({ email: 'jo@example.com', platformAdmin: false });
  });

  it('409: rejects an address that already has a user', async () => {
    const { request } = await startApi();
    await request('/v1/access/users', { method: 'POST', body });
    const response = await request('/v1/access/users', { method: 'POST', body });
    expect(await response.json()).toMatchObject({ status: 409, reason: 'already-exists' });
  });
});

describe('listUsers', () => {
  it('200: contains users without their passwords', async () => {
    const { request } = await startApi();
    await request('/v1/access/users', { method: 'POST', body });
    const text = await (await request('/v1/access/users')).text();
    expect(text).toContain('jo@example.com');
    expect(text).not.toContain('password');
    const search = await request('/v1/access/users?q=JO@');
    expect(await search.json()).toMatchObject({ items: [{ email: 'jo@example.com', platformAdmin: false }] });
    expect(await (await request('/v1/access/users?since=2999-01-01T00:00:00Z')).json()).toEqual({ items: [] });
  });
});

describe('getMe', () => {
  it('200: contains the role in each org', async () => {
    const { request } = await startApi();
    expect(await (await request('/v1/me', { role: 'viewer' })).json()).toMatchObject({
      email: 'viewer@example.com',
      platformAdmin: false,
      via: 'token',
      orgs: [{ org: 'acme', role: 'viewer' }],
    });
    expect(await (await request('/v1/me', { role: 'no-role' })).json()).toMatchObject({ orgs: [] });
    expect(await (await request('/v1/me')).json()).toMatchObject({
      platformAdmin: true,
      orgs: [{ org: 'acme', role: 'org-admin' }],
    });
  });
});
