import { describe, expect, it } from 'vitest';
import { credentials, startApiWithUser } from '../auth/session-fixture.ts';

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
});

describe('signOut', () => {
  it('204: ends the session', async () => {
    const { requestWithSession } = await startApiWithUser();
    expect((await requestWithSession('/v1/auth/sign-out', { method: 'POST' })).status).toBe(204);
    expect((await requestWithSession('/v1/me')).status).toBe(401);
  });
});
