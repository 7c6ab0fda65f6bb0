import { describe, expect, it } from 'vitest';
import { tokenName } from '../../../api/auth/authenticate.ts';
import { ServiceError } from '../../../src/errors.ts';
import { ApiTokenKind } from '../../../src/rules/access/kinds.ts';
import { startApi } from '../../support/start-api.ts';
import { credentials, setPlatformAdmin, startApiWithUser } from '../auth/session-fixture.ts';

describe('signIn', () => {
  it('200: sets a session cookie that scripts cannot read', async () => {
    const { signIn, requestWithSession } = await startApiWithUser();
    const response = await signIn({ ...credentials, email: 'JO@example.com' });
    expect(response.status).toBe(200);
    expect(response.headers.get('Set-Cookie')).toMatch(
      /^svc_session=svc_\w+; Max-Age=43200; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    expect(await (await requestWithSession('/v1/me')).json()).toMatchObject({
      email: 'jo@example.com',
      via: 'session',
      orgs: [],
    });
  });

  it('200: starts another session for every sign-in, whatever session the browser had', async () => {
    const { request, signIn, store } = await startApiWithUser();
    const mallory = { email: 'mallory@example.com', password: 'a long enough password' };
    await request('/v1/access/users', { method: 'POST', via: 'session', body: mallory });
    const toCookie = (response: Response) => response.headers.get('Set-Cookie')?.split(';')[0] ?? '';
    const readEmail = async (Cookie: string) =>
      ((await (await request('/v1/me', { role: 'anonymous', headers: { Cookie } })).json()) as { email?: string })
        .email;
    const planted = toCookie(await signIn(mallory));
    const started = toCookie(await signIn(credentials, { headers: { Cookie: planted } }));
    expect(started).toMatch(/^svc_session=svc_\w{49}$/);
    expect(started).not.toBe(planted);
    // The session that a person has planted in the browser of another one ends.
    expect([await readEmail(started), await readEmail(planted)]).toEqual([credentials.email, undefined]);

    const unknown = `svc_session=svc_${'A'.repeat(49)}`;
    expect(toCookie(await signIn(credentials, { headers: { Cookie: unknown } }))).not.toBe(unknown);
    expect(await readEmail(unknown)).toBeUndefined();
    const again = toCookie(await signIn(credentials, { headers: { Cookie: started } }));
    expect(again).not.toBe(started);
    const sessions = (await store.list(ApiTokenKind, { fields: { 'spec.use': 'session' } })).items;
    const names = sessions.map(({ metadata }) => metadata.name);
    expect([started, again].map((cookie) => names.includes(tokenName(cookie.split('=')[1] ?? '')))).toEqual([
      false,
      true,
    ]);
  });

  it('401: responds the same for a wrong password and an unknown user', async () => {
    const { signIn } = await startApiWithUser();
    const wrong = await signIn({ ...credentials, password: 'another long password' });
    const unknown = await signIn({ ...credentials, email: 'unknown@example.com' });
    const [one, other] = (await Promise.all([wrong.json(), unknown.json()])) as { detail: string }[];
    expect([one, other]).toMatchObject([
      { status: 401, reason: 'invalid-credentials' },
      { status: 401, reason: 'invalid-credentials' },
    ]);
    expect(one?.detail).toBe(other?.detail);
  });

  it('403: accepts only the passwords of platform admins, and ends sessions that others have', async () => {
    const api = await startApiWithUser(undefined, { passwordSignIn: 'platform-admins' });
    const { request, store, signIn } = api;
    const methods = await request('/v1/auth/methods', { role: 'anonymous' });
    expect(await methods.json()).toMatchObject({ password: 'platform-admins' });
    const refused = await signIn(credentials);
    expect(refused.status).toBe(403);
    expect(refused.headers.get('Set-Cookie')).toBeNull();
    expect(await refused.json()).toMatchObject({ reason: 'password-not-accepted' });
    // A guess learns nothing about the account.
    expect((await signIn({ ...credentials, password: 'another long password' })).status).toBe(401);

    await setPlatformAdmin(store, credentials.email, true);
    const cookie = (await signIn(credentials)).headers.get('Set-Cookie')?.split(';')[0] ?? '';
    const getMe = async () => await request('/v1/me', { role: 'anonymous', headers: { Cookie: cookie } });
    expect((await getMe()).status).toBe(200);
    await setPlatformAdmin(store, credentials.email, false);
    const ended = await getMe();
    expect(ended.status).toBe(401);
    expect(await ended.json()).toMatchObject({ reason: 'token-revoked' });
  });

  it('429: limits the attempts for an account and sets Retry-After', async () => {
    let now = Date.parse('2027-01-01T00:00:00Z');
    const { signIn } = await startApiWithUser(() => new Date(now));
    const guesses = await Promise.all(Array.from({ length: 12 }, () => signIn({ ...credentials, password: 'guess' })));
    const throttled = guesses.filter(({ status }) => status === 429);
    expect(throttled.length).toBeGreaterThanOrEqual(2);
    expect(throttled[0]?.headers.get('Retry-After')).toBe('900');
    expect((await signIn(credentials)).status).toBe(429);
    now += 15 * 60_000 + 1;
    expect((await signIn(credentials)).status).toBe(200);
  });

  it('200: a person signs in while a stranger tries the account from elsewhere', async () => {
    const { signIn } = await startApiWithUser();
    const guess = { ...credentials, password: 'guess' };
    for (let attempt = 0; attempt < 10; attempt += 1) await signIn(guess, { remoteAddress: '2001:db8::1' });
    // Every address of the network of the stranger counts as one.
    expect((await signIn(guess, { remoteAddress: '2001:db8::2' })).status).toBe(429);
    expect((await signIn(credentials, { remoteAddress: '2001:db8:0:1::1' })).status).toBe(200);
  });

  it('429: limits the attempts from one address over all accounts, also behind an ingress', async () => {
    const { signIn } = await startApiWithUser(undefined, { trustedProxies: ['10.0.0.0/8'] });
    const tryAccount = async (account: number, forwardedFor: string) =>
      await signIn(
        { email: `person-${account}@example.com`, password: 'the same password' },
        { remoteAddress: '10.0.0.1', headers: { 'X-Forwarded-For': forwardedFor } },
      );
    const statuses: number[] = [];
    // The stranger adds made-up addresses before the one that the ingress appends.
    for (let account = 0; account < 30; account += 1)
      statuses.push((await tryAccount(account, `203.0.113.${account}, 192.0.2.1`)).status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(20);
    expect(statuses.slice(20)).toEqual(Array.from({ length: 10 }, () => 429));
    const behindSameIngress = { remoteAddress: '10.0.0.1', headers: { 'X-Forwarded-For': '192.0.2.2' } };
    expect((await signIn(credentials, behindSameIngress)).status).toBe(200);
  });

  it('503: refuses attempts while the process verifies as many passwords as it can', async () => {
    const busy = async (): Promise<never> => {
      throw new ServiceError('sign-in-busy', 'Too many sign-ins are in progress.', { retryAfterMs: 1_000 });
    };
    const api = await startApi({ signInGuards: { hasher: { hash: busy, verify: busy } } });
    const response = await api.request('/v1/auth/sign-in', { method: 'POST', body: credentials, role: 'anonymous' });
    expect(await response.json()).toMatchObject({ status: 503, reason: 'sign-in-busy' });
    expect(response.headers.get('Retry-After')).toBe('1');
  });
});

describe('signOut', () => {
  it('204: ends the session', async () => {
    const { requestWithSession } = await startApiWithUser();
    const response = await requestWithSession('/v1/auth/sign-out', { method: 'POST' });
    expect([response.status, response.headers.get('Set-Cookie')]).toEqual([
      204,
      expect.stringMatching(/^svc_session=; Max-Age=0; /),
    ]);
    expect((await requestWithSession('/v1/me')).status).toBe(401);
  });
});

describe('listMySessions', () => {
  it('200: contains the valid sessions of the user, and marks the current one', async () => {
    let now = Date.parse('2027-01-01T00:00:00Z');
    const { requestWithSession, signIn, request } = await startApiWithUser(() => new Date(now));
    const list = async () =>
      ((await (await requestWithSession('/v1/me/sessions')).json()) as { items: { current: boolean }[] }).items;
    await signIn(credentials);
    expect((await list()).map(({ current }) => current).toSorted()).toEqual([false, true]);
    expect(JSON.stringify(await list())).not.toContain('svc_');
    // The other session is not used for two hours.
    now += 90 * 60_000;
    await requestWithSession('/v1/me');
    now += 31 * 60_000;
    expect((await list()).map(({ current }) => current)).toEqual([true]);
    expect(await (await request('/v1/me/sessions')).json()).toEqual({ items: [] });
  });
});

describe('endMySessions', () => {
  it('204: ends all sessions of the user but the current one', async () => {
    const { request, requestWithSession, signIn } = await startApiWithUser();
    const other = (await signIn(credentials)).headers.get('Set-Cookie')?.split(';')[0] ?? '';
    const readMe = async () => await request('/v1/me', { role: 'anonymous', headers: { Cookie: other } });
    // Another user has sessions of their own.
    await request('/v1/me/sessions', { method: 'DELETE' });
    expect((await readMe()).status).toBe(200);
    expect((await requestWithSession('/v1/me/sessions', { method: 'DELETE' })).status).toBe(204);
    expect((await readMe()).status).toBe(401);
    expect((await requestWithSession('/v1/me')).status).toBe(200);
  });
});
