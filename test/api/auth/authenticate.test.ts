import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { tokenName } from '../../../api/auth/authenticate.ts';
import { SecretKind } from '../../../src/kinds/kubernetes.ts';
import { AccessGroupKind, ApiTokenKind, UserKind } from '../../../src/rules/access/kinds.ts';
import { createToken } from '../../../src/rules/access/token.ts';
import { userName } from '../../../src/rules/access/user-name.ts';
import { withAcceptedCondition } from '../../../src/rules/conditions.ts';
import type { Store } from '../../../src/store/store.ts';
import { openTestStore } from '../../support/open-test-store.ts';
import { startApi } from '../../support/start-api.ts';
import { credentials, rejectUser, startApiWithUser } from './session-fixture.ts';

type MintedToken = { name: string; token: string };

async function startApiWithToken(options: { now?: () => Date; store?: Store } = {}) {
  const api = await startApi({ role: 'viewer', ...options });
  const response = await api.request('/v1/me/tokens', { method: 'POST', via: 'session', body: { label: 'laptop' } });
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

  it('401: is looked up by the hash of all of it, so that no time tells how much of a guess is right', async () => {
    const store = openTestStore();
    const names: string[] = [];
    const find: Store['find'] = async (kind, ref, options) => {
      if (kind.kind === ApiTokenKind.kind) names.push(ref.name);
      return await store.find(kind, ref, options);
    };
    const { request } = await startApi({ store: { ...store, find } });
    const call = async (token: string) =>
      (await request('/v1/me', { role: 'anonymous', headers: { Authorization: `Bearer ${token}` } })).status;
    const secret = Buffer.alloc(32, 7);
    await store.create(ApiTokenKind, {
      metadata: { namespace: 'service-system', name: tokenName(createToken(secret)) },
      spec: { use: 'token', user: 'lars', userUid: 'none', label: 'laptop' },
    });
    const guesses = [0, 8, 16, 31].map((known) => createToken(Buffer.concat([secret.subarray(0, known)], 32)));
    for (const guess of guesses) expect(await call(guess)).toBe(401);
    expect(names).toEqual(guesses.map((guess) => `token-${createHash('sha256').update(guess).digest('hex')}`));
    expect(JSON.stringify((await store.list(ApiTokenKind)).items)).not.toContain('svc_');
  });

  it('401: is rejected after it has expired', async () => {
    let now = Date.parse('2027-01-01T00:00:00Z');
    const { request } = await startApi({ role: 'viewer', now: () => new Date(now) });
    const body = { label: 'short', expiresAt: '2027-01-01T01:00:00Z' };
    const mint = async () => await request('/v1/me/tokens', { method: 'POST', via: 'session', body });
    const { token } = (await (await mint()).json()) as MintedToken;
    const call = async () => request('/v1/me', { role: 'anonymous', headers: { Authorization: `Bearer ${token}` } });
    expect((await call()).status).toBe(200);
    now += 60 * 60_000;
    expect(await (await call()).json()).toMatchObject({ status: 401, reason: 'token-expired' });
    expect((await mint()).status).toBe(422);
  });

  it('200: is valid for as long as it says, although nothing uses it', async () => {
    let now = Date.parse('2027-01-01T00:00:00Z');
    const { requestWithToken } = await startApiWithToken({ now: () => new Date(now) });
    expect((await requestWithToken('/v1/me')).status).toBe(200);
    now += 3 * 60 * 60_000;
    expect((await requestWithToken('/v1/me')).status).toBe(200);
    now += 90 * 24 * 60 * 60_000;
    expect(await (await requestWithToken('/v1/me')).json()).toMatchObject({
      status: 401,
      detail: 'The token has expired. Create a new one.',
    });
  });

  it('201: makes changes from a page of any site, which has to know the token', async () => {
    const { request } = await startApi({ role: 'platform-admin' });
    const headers = { Origin: 'https://elsewhere.example', 'Sec-Fetch-Site': 'cross-site' };
    expect((await request('/v1/orgs', { method: 'POST', body: { name: 'beta' }, headers })).status).toBe(201);
  });

  it('401: is rejected after its owner was removed, also when another person has the address', async () => {
    const { requestWithToken, store } = await startApiWithToken();
    const ref = { namespace: 'service-system', name: userName('viewer@example.com') };
    const { spec } = await store.get(UserKind, ref);
    await store.delete(UserKind, ref);
    expect(await (await requestWithToken('/v1/me')).json()).toMatchObject({ status: 401, reason: 'token-revoked' });
    await store.create(UserKind, { metadata: ref, spec });
    expect(await (await requestWithToken('/v1/me')).json()).toMatchObject({ status: 401, reason: 'token-revoked' });
  });

  it('401: is rejected while its resource is invalid', async () => {
    const { requestWithToken, readToken, store } = await startApiWithToken();
    const { metadata } = await readToken();
    const finding = { rejection: 'its user is unknown', generation: 1, at: '2027-01-01T00:00:00.000Z' };
    const conditions = withAcceptedCondition([], finding);
    await store.updateStatus(ApiTokenKind, metadata, () => ({ conditions }));
    expect(await (await requestWithToken('/v1/me')).json()).toMatchObject({ status: 401, reason: 'token-revoked' });
  });

  it('401: is rejected while the User of its owner is invalid', async () => {
    const { requestWithToken, store } = await startApiWithToken();
    await rejectUser(store, 'viewer@example.com');
    expect(await (await requestWithToken('/v1/me')).json()).toMatchObject({ status: 401, reason: 'user-rejected' });
  });

  it('has the role of its owner in any letter case of the address, and loses it at once', async () => {
    const store = openTestStore();
    // The store does not tell what has changed.
    const api = await startApi({ role: 'no-role', store: { ...store, revision: () => undefined } });
    const ref = { namespace: 'service-system', name: userName('no-role@example.com') };
    await api.tokenFor('no-role');
    const user = await store.get(UserKind, ref);
    await store.replace(UserKind, { ...user, spec: { ...user.spec, email: 'No-Role@Example.com' } });
    const metadata = { namespace: 'org-acme', name: 'readers' };
    const spec = { name: 'readers', role: 'viewer' as const, members: ['no-role@example.com'] };
    await store.create(AccessGroupKind, { metadata, spec });
    expect((await api.request('/v1/orgs/acme')).status).toBe(200);
    await store.delete(AccessGroupKind, metadata);
    expect((await api.request('/v1/orgs/acme')).status).toBe(403);
  });

  it('works again after the store could not be read or written', async () => {
    const store = openTestStore();
    const failures = new Set<string>();
    const failOnce = (call: string): void => {
      if (failures.delete(call)) throw new Error('The store is away.');
    };
    const lines: string[] = [];
    const write = (_fields: object, text: string): void => void lines.push(text);
    const { request, tokenFor } = await startApi({
      role: 'viewer',
      log: { debug: () => {}, info: () => {}, warn: write, error: write },
      store: {
        ...store,
        list: async (kind, options) => (failOnce(`list ${kind.kind}`), await store.list(kind, options)),
        updateStatus: async (kind, ref, update) => (
          failOnce(`record ${kind.kind}`),
          await store.updateStatus(kind, ref, update)
        ),
      },
    });
    for (const call of ['list AccessGroup', 'record ApiToken']) failures.add(call);
    const read = async () => (await request('/v1/orgs/acme')).status;
    expect([await read(), await read()]).toEqual([500, 200]);
    expect(lines).toEqual(['Failed to record the last use of a token', 'Request failed', 'Request']);
    const ref = { namespace: 'service-system', name: tokenName((await tokenFor('viewer')) ?? '') };
    expect((await store.get(ApiTokenKind, ref)).status?.lastUsedAt).toBeDefined();
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
    const store = openTestStore();
    const recorded: string[] = [];
    const updateStatus: Store['updateStatus'] = async (kind, ref, update) => {
      recorded.push(ref.name);
      return await store.updateStatus(kind, ref, update);
    };
    const api = await startApiWithToken({ now: () => new Date(now++), store: { ...store, updateStatus } });
    await Promise.all(Array.from({ length: 20 }, async () => await api.requestWithToken('/v1/me')));
    const { name } = (await api.readToken()).metadata;
    expect(recorded.filter((one) => one === name)).toHaveLength(1);
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
    expect(await (await requestWithSession('/v1/me')).json()).toMatchObject({
      status: 401,
      reason: 'token-expired',
      detail: 'The session has expired. Sign in again.',
    });
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
    // The installation may have a second address, such as that of an operator's tunnel.
    for (const own of ['http://localhost:8080', 'http://localhost'])
      expect((await mint({ Origin: own })).status).toBe(201);
    for (const site of ['same-origin', 'none']) expect((await mint({ 'Sec-Fetch-Site': site })).status).toBe(201);
    const read = await requestWithSession('/v1/me', { headers: { Origin: 'https://elsewhere.example' } });
    expect(read.status).toBe(200);
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

describe('the setup token', () => {
  it('401: is required exactly as the installation keeps it', async () => {
    const { request, store } = await startApi({ role: 'anonymous' });
    const create = async (token?: string, password = 'a long enough password') => {
      const headers = token === undefined ? {} : { 'X-Service-Setup-Token': token };
      const body = { email: 'root@example.com', password };
      return (await request('/v1/setup/root-user', { method: 'POST', body, headers })).status;
    };
    // An installation that is set up has no token any more.
    expect([await create(), await create('guess'), await create('undefined')]).toEqual([401, 401, 401]);
    const metadata = { namespace: 'service-system', name: 'service-setup' };
    await store.create(SecretKind, { metadata, data: { token: Buffer.from('secret').toString('base64') } });
    expect([await create(), await create('guess'), await create('secre')]).toEqual([401, 401, 401]);
    expect(await create('secret', 'x'.repeat(17_000))).toBe(413);
    expect(await create('secret')).toBe(201);
    expect([await create(), await create('secret')]).toEqual([401, 409]);
  });
});
