import { describe, expect, it } from 'vitest';
import { credentials, startApiWithUser } from '../auth/session-fixture.ts';
import { SecretKind } from '../../../src/kinds/kubernetes.ts';
import { loadConfig } from '../../../src/config.ts';
import { accountLimit, addressLimit, signInWindowMs } from '../../../src/rules/access/sign-in-throttle.ts';
import { startApi, type ApiHarness } from '../../support/start-api.ts';

const https = { publicUrl: 'https://delivery.example.com' };
const hourMs = 60 * 60_000;

/** The headers of every response, whatever it is. */
const alwaysHeaders = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
};

const readHeaders = async ({ app }: ApiHarness, path: string, init: RequestInit = {}) =>
  Object.fromEntries((await app.request(path, init)).headers);

describe('every response', () => {
  it.each(['/api/v1/me', '/api/v1/orgs', '/livez', '/api/docs', '/api/openapi.json', '/nowhere', '/.service/sign-in'])(
    'has the headers of a site that no other may embed or read: %s',
    async (path) => {
      const headers = await readHeaders(await startApi({ role: 'anonymous' }), path);
      expect(headers).toMatchObject(alwaysHeaders);
      expect(headers).not.toHaveProperty('access-control-allow-origin');
      expect(headers).not.toHaveProperty('strict-transport-security');
      expect(headers).not.toHaveProperty('x-powered-by');
    },
  );

  it('is private and revalidated, and on https keeps the browser there for 180 days', async () => {
    const headers = await readHeaders(await startApi({ config: https }), '/api/v1/me');
    expect(headers).toMatchObject({
      'cache-control': 'private, no-cache',
      'strict-transport-security': 'max-age=15552000; includeSubDomains',
    });
  });
});

describe('pages', () => {
  it.each(['/api/docs', '/api/docs/problems'])('load nothing and run no script: %s', async (path) => {
    const policy = (await readHeaders(await startApi(), path))['content-security-policy'] ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("style-src 'unsafe-inline'");
    expect(policy).toContain("base-uri 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('script-src');
  });
});

describe('a session', () => {
  it('is a cookie of this host only, hidden from scripts and of other sites, for 12 hours', async () => {
    const { signIn } = await startApiWithUser(undefined, https);
    const { headers } = await signIn(credentials);
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-svc_session=svc_\w{49}; Max-Age=43200; Path=\/; HttpOnly; Secure; SameSite=Lax$/),
    ]);
  });

  it('ends after two hours without use', async () => {
    let now = Date.now();
    const { requestWithSession } = await startApiWithUser(() => new Date(now), https);
    now += 2 * hourMs - 1_000;
    expect((await requestWithSession('/v1/me')).status).toBe(200);
    now += 2 * hourMs;
    expect((await requestWithSession('/v1/me')).status).toBe(401);
  });
});

describe('a token', () => {
  it('has 32 random bytes, is shown once, and expires after 90 days or what was asked for, at most a year', async () => {
    const now = new Date('2027-01-01T00:00:00.000Z');
    const { requestWithSession } = await startApiWithUser(() => now);
    const mint = async (body: object) =>
      (await (await requestWithSession('/v1/me/tokens', { method: 'POST', body })).json()) as Record<string, unknown>;
    const minted = await mint({ label: 'x' });
    // 43 digits in base 62 hold 256 bits; six more are a checksum.
    expect(minted).toMatchObject({
      token: expect.stringMatching(/^svc_[0-9A-Za-z]{49}$/),
      expiresAt: '2027-04-01T00:00:00.000Z',
    });
    expect(await (await requestWithSession('/v1/me/tokens')).text()).not.toContain(String(minted['token']));
    expect(await mint({ label: 'x', expiresAt: '2028-01-01T00:00:00Z' })).toMatchObject({ label: 'x' });
    expect(await mint({ label: 'x', expiresAt: '2028-01-01T00:00:01Z' })).toMatchObject({ status: 422 });
  });
});

describe('passwords', () => {
  it('have 12 to 200 characters and are stored as argon2id with 19 MiB, two passes and one lane', async () => {
    const { request, store } = await startApi();
    const create = async (length: number, email: string) =>
      (
        await request('/v1/access/users', {
          method: 'POST',
          via: 'session',
          body: { email, password: 'x'.repeat(length) },
        })
      ).status;
    expect([await create(11, 'a@example.com'), await create(201, 'b@example.com')]).toEqual([422, 422]);
    expect([await create(12, 'c@example.com'), await create(200, 'd@example.com')]).toEqual([201, 201]);
    const hashes = (await store.list(SecretKind)).items.flatMap(({ data }) => data?.['password-hash'] ?? []);
    expect(hashes).toHaveLength(2);
    for (const hash of hashes) expect(atob(hash)).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  it('can be tried 10 times per account and 20 times per address in 15 minutes', () => {
    expect([accountLimit.attemptsMax, addressLimit.attemptsMax, signInWindowMs]).toEqual([10, 20, 15 * 60_000]);
  });
});

describe('sizes', () => {
  const send = async (path: string, bytes: number, headers: Record<string, string> = {}) => {
    const { request } = await startApi();
    return (await request(path, { method: 'POST', body: `{"name": "${'x'.repeat(bytes)}"}`, headers })).status;
  };

  it('allow JSON up to 1 MiB, counted while it is read', async () => {
    expect(await send('/v1/orgs', 1024 * 1024 - 100)).toBe(422);
    expect(await send('/v1/orgs', 1024 * 1024)).toBe(413);
    expect(await send('/v1/orgs', 1024 * 1024, { 'Transfer-Encoding': 'chunked' })).toBe(413);
  });

  it('allow lists up to 500 items', async () => {
    const { request } = await startApi();
    expect((await request('/v1/orgs?limit=500')).status).toBe(200);
    expect((await request('/v1/orgs?limit=501')).status).toBe(422);
  });

  it('allow webhooks up to 5 MiB by default', () => {
    expect(loadConfig({}).webhooks.bodyBytesMax).toBe(5 * 1024 * 1024);
  });
});
