import { hash } from 'node:crypto';
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { tokenName } from '../../../api/auth/authenticate.ts';
import { createSession } from '../../../api/auth/start-session.ts';
import type { ApiDeps, ApiEnv } from '../../../api/deps.ts';
import type { IdentityProvider } from '../../../src/rules/access/identity-provider.ts';
import { ApiTokenKind, UserKind } from '../../../src/rules/access/kinds.ts';
import { userName } from '../../../src/rules/access/user-name.ts';
import { systemNamespace } from '../../../src/rules/resource.ts';
import { openTestStore } from '../../support/open-test-store.ts';
import { startApi } from '../../support/start-api.ts';
import { credentials, rejectUser } from './session-fixture.ts';

/** Starts the API with the user "jo", whose password takes no time to verify. */
async function startApiWithGuards() {
  let now = Date.parse('2027-01-01T00:00:00Z');
  const hasher = {
    hash: async (password: string) => password,
    verify: async (hash: string, password: string) => hash === password,
  };
  const api = await startApi({ signInGuards: { hasher }, now: () => new Date(now) });
  await api.request('/v1/access/users', { method: 'POST', via: 'session', body: credentials });
  const signIn = async (change: Partial<typeof credentials> = {}, cookie?: string): Promise<Response> => {
    const body = { ...credentials, ...change };
    const headers = cookie === undefined ? {} : { Cookie: cookie };
    return await api.request('/v1/auth/sign-in', { method: 'POST', body, role: 'anonymous', headers });
  };
  const countSessions = async (): Promise<number> => {
    const { items } = await api.store.list(ApiTokenKind, { fields: { 'spec.use': 'session' } });
    return items.filter(({ spec }) => spec.user === userName(credentials.email)).length;
  };
  return { ...api, signIn, countSessions, passHours: (hours: number) => void (now += hours * 3_600_000) };
}

const zoneSignIn = `/v1/auth/zone-sign-in?zone=hello-rc&to=${encodeURIComponent('http://hello-rc.localhost:8081/')}&browser=${hash('sha256', 'browser')}`;

/** Starts the API with the user "jo", whose sign-in waits after the password was verified until it is released. */
async function startApiWithHeldSignIn() {
  const [verified, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const hasher = {
    hash: async (password: string) => password,
    verify: async (passwordHash: string, password: string) => {
      verified.resolve();
      await released.promise;
      return passwordHash === password;
    },
  };
  const api = await startApi({ signInGuards: { hasher } });
  await api.request('/v1/orgs/acme/products', {
    method: 'POST',
    body: { name: 'hello', spec: { repos: ['acme/hello'] } },
  });
  const created = await api.request('/v1/access/users', { method: 'POST', via: 'session', body: credentials });
  const userPath = `/v1/access/users/${((await created.json()) as { name: string }).name}`;
  const setPassword = async () =>
    await api.request(`${userPath}/password`, {
      method: 'PUT',
      via: 'session',
      body: { password: 'another long password' },
    });
  const ownSessions = { 'spec.use': 'session', 'spec.user': userName(credentials.email) };
  const countSessions = async () => (await api.store.list(ApiTokenKind, { fields: ownSessions })).items.length;
  return { ...api, userPath, setPassword, countSessions, verified: verified.promise, release: released.resolve };
}
type Held = Awaited<ReturnType<typeof startApiWithHeldSignIn>>;

it('429: counts the attempts at an account in any letter case of its address', async () => {
  const { signIn } = await startApiWithGuards();
  const emails = ['jo@example.com', 'JO@example.com', 'Jo@Example.com'];
  const statuses: number[] = [];
  for (let attempt = 0; attempt < 12; attempt += 1)
    statuses.push((await signIn({ email: emails[attempt % 3] ?? '', password: 'guess' })).status);
  expect(statuses).toEqual([...Array<number>(10).fill(401), 429, 429]);
});

it('401: says that a user is invalid to the person with the password only', async () => {
  const { signIn, countSessions, store } = await startApiWithGuards();
  await rejectUser(store, credentials.email);
  expect(await (await signIn()).json()).toMatchObject({ status: 401, reason: 'user-rejected' });
  expect(await (await signIn({ password: 'guess' })).json()).toMatchObject({ reason: 'invalid-credentials' });
  expect(await countSessions()).toBe(0);
});

it('200: forgets the failed attempts of a person who signs in', async () => {
  const { signIn } = await startApiWithGuards();
  for (let round = 0; round < 2; round += 1) {
    for (let attempt = 0; attempt < 9; attempt += 1) await signIn({ password: 'guess' });
    expect((await signIn()).status).toBe(200);
  }
});

it('deletes the sessions that have expired when the person signs in again', async () => {
  const { signIn, countSessions, passHours, request } = await startApiWithGuards();
  await signIn();
  passHours(6);
  const cookie = (await signIn()).headers.get('Set-Cookie')?.split(';')[0] ?? '';
  expect(await countSessions()).toBe(2);
  await request('/v1/me/tokens', { method: 'POST', body: { label: 'x' }, role: 'anonymous', headers: { cookie } });
  passHours(6);
  await signIn();
  expect(await countSessions()).toBe(2);
});

it('ends the session that the browser had, once another one has begun', async () => {
  const { signIn, countSessions } = await startApiWithGuards();
  const toCookie = (response: Response): string => response.headers.get('Set-Cookie')?.split(';')[0] ?? '';
  const [mine, others] = [toCookie(await signIn()), toCookie(await signIn())];
  await signIn({ password: 'guess' }, mine);
  expect(await countSessions()).toBe(2);
  await signIn({}, mine);
  expect(await countSessions()).toBe(2);
  await signIn({}, mine);
  expect(await countSessions()).toBe(3);
  // One of two may be planted.
  await signIn({}, `${others}; ${others}`);
  expect(await countSessions()).toBe(4);
});

it('ends no token that a browser sends as its session', async () => {
  const { signIn, request, store } = await startApiWithGuards();
  const [cookie = ''] = (await signIn()).headers.get('Set-Cookie')?.split(';') ?? [];
  const [name] = cookie.split('=');
  const body = { label: 'ci' };
  const minted = await request('/v1/me/tokens', {
    method: 'POST',
    body,
    role: 'anonymous',
    headers: { Cookie: cookie, Origin: 'http://localhost:8080' },
  });
  const { token } = (await minted.json()) as { token: string };
  await signIn({}, `${name}=${token}`);
  expect(await store.find(ApiTokenKind, { namespace: systemNamespace, name: tokenName(token) })).toBeDefined();
});

describe.each([
  ['signIn', '/v1/auth/sign-in', 'application/json', JSON.stringify],
  [
    'signInToZone',
    zoneSignIn,
    'application/x-www-form-urlencoded',
    (body: object) => new URLSearchParams({ ...body }).toString(),
  ],
] as const)('%s', (_, path, type, encode) => {
  it.each([
    ['changed', async ({ setPassword }: Held) => expect((await setPassword()).status).toBe(204)],
    [
      'deleted with the user',
      async ({ request, userPath }: Held) => expect((await request(userPath, { method: 'DELETE' })).status).toBe(204),
    ],
  ])('401: starts no session with a password that is %s after it was verified', async (_change, change) => {
    const held = await startApiWithHeldSignIn();
    const signing = held.app.request(`/api${path}`, {
      method: 'POST',
      body: encode(credentials),
      headers: { 'Content-Type': type, Origin: 'http://localhost:8080' },
    });
    await held.verified;
    await change(held);
    held.release();
    const response = await signing;
    expect(response.status).toBe(401);
    expect(response.headers.get('Set-Cookie')).toBeNull();
    expect(await held.countSessions()).toBe(0);
  });
});

it.each([
  ['a password', undefined, { signInMethod: 'password' }],
  ['an OpenID provider', undefined, { signInMethod: 'oidc', identityProvider: { name: 'sso', uid: 'u-1' } }],
  ['a code host', 'github', { signInMethod: 'codehost', identityProvider: { name: 'sso', uid: 'u-1' } }],
] as const)('records that a session began with %s', async (_, type, expected) => {
  const store = openTestStore();
  const user = await store.create(UserKind, {
    metadata: { namespace: systemNamespace, name: 'jo' },
    spec: { email: 'jo@example.com', platformAdmin: false },
  });
  const provider = { metadata: { name: 'sso', uid: 'u-1' }, spec: { type } } as IdentityProvider;
  const config = { publicUrl: 'http://localhost:8080' } as ApiDeps['config'];
  const now = () => new Date('2027-01-01T00:00:00Z');
  const app = new Hono<ApiEnv>().get('/', async (c) => {
    const signedIn = { user, ...('identityProvider' in expected && { provider }) };
    return c.text(await createSession(c, { store, config, now }, signedIn));
  });
  const response = await app.request('/');
  const token = await response.text();
  expect(response.headers.get('Set-Cookie')).toContain(token);
  const { spec } = await store.get(ApiTokenKind, { namespace: systemNamespace, name: tokenName(token) });
  expect(spec).toEqual({
    use: 'session',
    user: 'jo',
    userUid: user.metadata.uid,
    label: 'browser',
    expiresAt: '2027-01-01T12:00:00.000Z',
    ...expected,
  });
});

it('401: accepts the password of no one but platform admins where it says so, also in sessions of before', async () => {
  const store = openTestStore();
  const before = await startApi({ store });
  await before.request('/v1/access/users', { method: 'POST', via: 'session', body: credentials });
  const signIn = async (api: typeof before) =>
    await api.request('/v1/auth/sign-in', { method: 'POST', body: credentials, role: 'anonymous' });
  const cookie = (await signIn(before)).headers.get('Set-Cookie')?.split(';')[0] ?? '';
  const read = async (api: typeof before) =>
    await api.request('/v1/me', { role: 'anonymous', headers: { Cookie: cookie } });
  expect((await read(before)).status).toBe(200);
  const after = await startApi({ store, config: { passwordSignIn: 'platform-admins' } });
  expect(await (await signIn(after)).json()).toMatchObject({ reason: 'password-not-accepted' });
  expect(await (await read(after)).json()).toMatchObject({
    status: 401,
    detail: expect.stringContaining('identity provider') as string,
  });
});
