import { describe, expect, it } from 'vitest';
import { startApi } from '../../support/start-api.ts';

const credentials = { email: 'jo@example.com', password: 'a long enough password' };

async function withUser(now?: () => Date) {
  const api = await startApi(now ? { now } : {});
  await api.request('/v1/access/users', { method: 'POST', body: credentials });
  const signIn = async (body: unknown) => api.request('/v1/auth/sign-in', { method: 'POST', body, role: 'nobody' });
  const cookie = (await signIn(credentials)).headers.get('Set-Cookie')?.split(';')[0] ?? '';
  const asSession = async (
    path: string,
    init: { method?: string; body?: unknown; headers?: Record<string, string> } = {},
  ) => api.request(path, { ...init, role: 'nobody', headers: { Cookie: cookie, ...init.headers } });
  return { ...api, signIn, asSession };
}

describe('signing in', () => {
  it('200: sets a session cookie that scripts cannot read', async () => {
    const { signIn, asSession } = await withUser();
    const response = await signIn({ ...credentials, email: 'JO@example.com' });
    expect(response.status).toBe(200);
    expect(response.headers.get('Set-Cookie')).toMatch(
      /^svc_session=svc_\w+; Max-Age=43200; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    expect(await (await asSession('/v1/me')).json()).toMatchObject({
      email: 'jo@example.com',
      via: 'session',
      orgs: [],
    });
  });

  it('401: answers the same for a wrong password and for nobody', async () => {
    const { signIn } = await withUser();
    const wrong = await signIn({ ...credentials, password: 'another long password' });
    const nobody = await signIn({ ...credentials, email: 'nobody@example.com' });
    expect([wrong.status, nobody.status]).toEqual([401, 401]);
    const [one, other] = (await Promise.all([wrong.json(), nobody.json()])) as { detail: string }[];
    expect(one?.detail).toBe(other?.detail);
  });

  it('429: lets nobody guess on, and says how long', async () => {
    let now = Date.parse('2027-01-01T00:00:00Z');
    const { signIn } = await withUser(() => new Date(now));
    const guesses = await Promise.all(Array.from({ length: 12 }, () => signIn({ ...credentials, password: 'guess' })));
    const refused = guesses.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThanOrEqual(2);
    expect(refused[0]?.headers.get('Retry-After')).toBe('900');
    expect((await signIn(credentials)).status).toBe(429);
    now += 15 * 60_000 + 1;
    expect((await signIn(credentials)).status).toBe(200);
  });
});

describe('a session', () => {
  it('401: ends when it is signed out', async () => {
    const { asSession } = await withUser();
    expect((await asSession('/v1/auth/sign-out', { method: 'POST' })).status).toBe(204);
    expect((await asSession('/v1/me')).status).toBe(401);
  });

  it('401: ends by itself after twelve hours', async () => {
    let now = Date.now();
    const { asSession } = await withUser(() => new Date(now));
    expect((await asSession('/v1/me')).status).toBe(200);
    now += 12 * 60 * 60_000;
    expect((await asSession('/v1/me')).status).toBe(401);
  });

  it('403: makes no change for a page of another site', async () => {
    const { asSession } = await withUser();
    const mint = async (headers: Record<string, string>) =>
      (await asSession('/v1/me/tokens', { method: 'POST', body: { label: 'x' }, headers })).status;
    expect(await mint({ Origin: 'https://elsewhere.example' })).toBe(403);
    expect(await mint({ 'Sec-Fetch-Site': 'cross-site' })).toBe(403);
    expect(await mint({ Origin: 'http://localhost:8080' })).toBe(201);
    expect(await mint({})).toBe(201);
  });

  it('401: is no bearer token, nor the other way round', async () => {
    const { asSession, request, tokenOf } = await withUser();
    const minted = (await (await asSession('/v1/me/tokens', { method: 'POST', body: { label: 'x' } })).json()) as {
      token: string;
    };
    const bearer = async (token: string) =>
      (await request('/v1/me', { role: 'nobody', headers: { Authorization: `Bearer ${token}` } })).status;
    expect(await bearer(minted.token)).toBe(200);
    expect(
      (await request('/v1/me', { role: 'nobody', headers: { Cookie: `svc_session=${await tokenOf('viewer')}` } }))
        .status,
    ).toBe(401);
  });
});
