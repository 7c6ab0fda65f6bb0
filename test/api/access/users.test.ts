import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/errors.ts';
import { SecretKind } from '../../../src/kinds/kubernetes.ts';
import { ApiTokenKind, UserKind } from '../../../src/rules/access/kinds.ts';
import { systemNamespace } from '../../../src/rules/resource.ts';
import type { Store } from '../../../src/store/store.ts';
import { openTestStore } from '../../support/open-test-store.ts';
import { startApi } from '../../support/start-api.ts';
import { credentials, startApiWithUser } from '../auth/session-fixture.ts';

const body = { email: 'jo@example.com', password: 'a long enough password' };

describe('createUser', () => {
  it('201: creates a user who is not a platform admin', async () => {
    const { request } = await startApi();
    const response = await request('/v1/access/users', { method: 'POST', via: 'session', body });
    expect(response.status).toBe(201);
    expect(await response.json()).toMatchObject({ email: 'jo@example.com', platformAdmin: false });
  });

  it('403: refuses a token, which could otherwise become a session of the user', async () => {
    const { request } = await startApi();
    const response = await request('/v1/access/users', { method: 'POST', body });
    expect(await response.json()).toMatchObject({ status: 403, reason: 'password-session-required' });
  });

  it('409: rejects an address that already has a user', async () => {
    const { request } = await startApi();
    await request('/v1/access/users', { method: 'POST', via: 'session', body });
    const response = await request('/v1/access/users', { method: 'POST', via: 'session', body });
    expect(await response.json()).toMatchObject({ status: 409, reason: 'already-exists' });
  });
});

describe('listUsers', () => {
  it('200: contains users without their passwords', async () => {
    const { request } = await startApi();
    await request('/v1/access/users', { method: 'POST', via: 'session', body });
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

const findUser = async ({ request }: Awaited<ReturnType<typeof startApi>>, email: string): Promise<string> => {
  const { items } = (await (await request(`/v1/access/users?q=${email}`)).json()) as { items: { name: string }[] };
  return items[0]?.name ?? '';
};

describe('deleteUser', () => {
  it('204: ends the sessions and revokes the tokens of the user at once, and another person can get the address', async () => {
    const api = await startApiWithUser();
    const { request, requestWithSession, signIn, store } = api;
    const path = `/v1/access/users/${await findUser(api, credentials.email)}`;
    const minted = await requestWithSession('/v1/me/tokens', { method: 'POST', body: { label: 'script' } });
    const { token } = (await minted.json()) as { token: string };
    const headers = { Authorization: `Bearer ${token}` };
    expect((await request('/v1/me', { role: 'anonymous', headers })).status).toBe(200);
    expect((await request(path, { method: 'DELETE' })).status).toBe(204);
    expect((await requestWithSession('/v1/me')).status).toBe(401);
    expect((await request('/v1/me', { role: 'anonymous', headers })).status).toBe(401);
    expect((await signIn(credentials)).status).toBe(401);
    const { items } = await store.list(ApiTokenKind, { fields: { 'spec.user': path.split('/').at(-1) ?? '' } });
    expect(items).toEqual([]);
    expect((await request(path, { method: 'DELETE' })).status).toBe(404);
    await request('/v1/access/users', {
      method: 'POST',
      via: 'session',
      body: { ...credentials, password: 'another long password' },
    });
    expect((await signIn(credentials)).status).toBe(401);
    expect((await requestWithSession('/v1/me')).status).toBe(401);
  });

  it('503: leaves no password behind when the store fails, and can be repeated', async () => {
    const store = openTestStore();
    let failing: string | undefined;
    const remove: Store['delete'] = async (kind, ref, precondition) => {
      if (kind.kind === failing) throw new ServiceError('unavailable', 'The store does not answer.');
      await store.delete(kind, ref, precondition);
    };
    const api = await startApi({ store: { ...store, delete: remove } });
    await api.request('/v1/access/users', { method: 'POST', via: 'session', body });
    const name = await findUser(api, body.email);
    const deleteJo = async () => (await api.request(`/v1/access/users/${name}`, { method: 'DELETE' })).status;
    const ref = { namespace: systemNamespace, name };
    failing = SecretKind.kind;
    expect([await deleteJo(), await findUser(api, body.email)]).toEqual([503, name]);
    failing = UserKind.kind;
    expect([await deleteJo(), await store.find(SecretKind, ref)]).toEqual([503, undefined]);
    failing = undefined;
    expect([await deleteJo(), await findUser(api, body.email)]).toEqual([204, '']);
  });

  it('409: a platform admin cannot remove themselves', async () => {
    const api = await startApiWithUser();
    const { user } = (await (await api.request('/v1/me')).json()) as { user: string };
    const response = await api.request(`/v1/access/users/${user}`, { method: 'DELETE' });
    expect(await response.json()).toMatchObject({ status: 409, detail: expect.stringContaining('yourself') });
    expect((await api.request('/v1/me')).status).toBe(200);
  });
});

describe('resetPassword', () => {
  it('204: replaces the password and ends the sessions, but keeps the tokens', async () => {
    const api = await startApiWithUser();
    const { request, requestWithSession, signIn } = api;
    const path = `/v1/access/users/${await findUser(api, credentials.email)}/password`;
    const minted = await requestWithSession('/v1/me/tokens', { method: 'POST', body: { label: 'script' } });
    const { token } = (await minted.json()) as { token: string };
    const password = 'a password of the admin';
    expect((await request(path, { method: 'PUT', via: 'session', body: { password } })).status).toBe(204);
    expect((await requestWithSession('/v1/me')).status).toBe(401);
    expect((await signIn(credentials)).status).toBe(401);
    expect((await signIn({ ...credentials, password })).status).toBe(200);
    const headers = { Authorization: `Bearer ${token}` };
    expect((await request('/v1/me', { role: 'anonymous', headers })).status).toBe(200);
  });

  it('422: rejects a short password, and 404: an unknown user', async () => {
    const api = await startApiWithUser();
    const path = `/v1/access/users/${await findUser(api, credentials.email)}/password`;
    const short = await api.request(path, { method: 'PUT', via: 'session', body: { password: 'short' } });
    expect(await short.json()).toMatchObject({ status: 422, errors: [{ pointer: '/password' }] });
    const body = { password: 'a long enough password' };
    const unknown = await api.request('/v1/access/users/user-none/password', { method: 'PUT', via: 'session', body });
    expect(unknown.status).toBe(404);
  });

  it('403: refuses a token, which could otherwise become a session of anyone', async () => {
    const api = await startApiWithUser();
    const path = `/v1/access/users/${await findUser(api, credentials.email)}/password`;
    const response = await api.request(path, { method: 'PUT', body: { password: 'a password of the thief' } });
    expect(await response.json()).toMatchObject({ status: 403, reason: 'password-session-required' });
    expect((await api.signIn(credentials)).status).toBe(200);
  });
});

describe('resetPassword of the caller', () => {
  it('409: is refused, because a thief of the session does not know the password', async () => {
    const api = await startApiWithUser();
    const { user } = (await (await api.request('/v1/me')).json()) as { user: string };
    const path = `/v1/access/users/${user}/password`;
    const reset = { method: 'PUT', via: 'session', body: { password: 'a password of the thief' } } as const;
    const response = await api.request(path, reset);
    expect(await response.json()).toMatchObject({
      status: 409,
      detail: expect.stringContaining('PUT /v1/me/password'),
    });
    expect((await api.request('/v1/me', { via: 'session' })).status).toBe(200);
    expect(await api.store.find(SecretKind, { namespace: systemNamespace, name: user })).toBeUndefined();
  });
});

describe('changePassword', () => {
  const newPassword = 'a password of my choice';
  const change = (currentPassword: string) => ({ method: 'PUT', body: { currentPassword, newPassword } });

  it('204: replaces the password and ends all sessions but this one', async () => {
    const { request, requestWithSession, signIn } = await startApiWithUser();
    const other = (await signIn(credentials)).headers.get('Set-Cookie')?.split(';')[0] ?? '';
    const readMe = async () => await request('/v1/me', { role: 'anonymous', headers: { Cookie: other } });
    expect((await readMe()).status).toBe(200);
    expect((await requestWithSession('/v1/me/password', change(credentials.password))).status).toBe(204);
    expect((await readMe()).status).toBe(401);
    expect((await requestWithSession('/v1/me')).status).toBe(200);
    expect((await signIn(credentials)).status).toBe(401);
    expect((await signIn({ ...credentials, password: newPassword })).status).toBe(200);
  });

  it('422: names the wrong current password, and 429: limits the attempts', async () => {
    const { requestWithSession, signIn } = await startApiWithUser();
    const wrong = await requestWithSession('/v1/me/password', change('a wrong password'));
    expect(await wrong.json()).toMatchObject({ status: 422, errors: [{ pointer: '/currentPassword' }] });
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 12; attempt += 1)
      statuses.push((await requestWithSession('/v1/me/password', change('a wrong password'))).status);
    expect(statuses.at(-1)).toBe(429);
    expect((await signIn({ ...credentials, password: newPassword })).status).not.toBe(200);
  });

  it('403: refuses a token, which may be lent or stolen', async () => {
    const { request } = await startApiWithUser();
    const response = await request('/v1/me/password', change('a wrong password'));
    expect(await response.json()).toMatchObject({ status: 403, reason: 'password-session-required' });
  });
});
