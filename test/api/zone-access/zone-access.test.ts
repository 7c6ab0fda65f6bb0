import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { tokenName } from '../../../api/auth/authenticate.ts';
import { IdentityProviderKind } from '../../../src/rules/access/identity-provider.ts';
import { AccessGroupKind, ApiTokenKind } from '../../../src/rules/access/kinds.ts';
import { withAcceptedCondition } from '../../../src/rules/conditions.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { type ApiHarness, startApi } from '../../support/start-api.ts';
import { rejectUser, setPlatformAdmin } from '../auth/session-fixture.ts';
import { startWithProvider, toCookies } from '../identity/sign-in-fixture.ts';

const credentials = { email: 'jo@example.com', password: 'a long enough password' };
const zoneUrl = 'http://hello-rc.localhost:8081';
const gatePath = `/v1/auth/zone-sign-in?zone=hello-rc&to=${encodeURIComponent(`${zoneUrl}/page?one=1`)}`;
const rejected = withAcceptedCondition([], { rejection: 'Not valid.', generation: 1, at: '2026-01-01T00:00:00.000Z' });
const browserCookie = 'svc_zone_browser=the-browser-of-jo';
const signInPath = `${gatePath}&browser=${hash('sha256', 'the-browser-of-jo')}`;

/** Returns the last cookie that a response sets. */
const readCookie = (response: Response): string => response.headers.getSetCookie().at(-1)?.split(';')[0] ?? '';

/** The status of a zone that is served at a host. */
const serve = (name: string, host: string, access: 'public' | 'signed-in' = 'signed-in') => ({
  name,
  appliedSettings: {
    replicas: 1,
    ingress: { hosts: [host], access },
    resources: {},
    persistence: [],
    strategy: 'RollingUpdate' as const,
  },
});

/** Starts an API with the Product "hello" and the viewer "jo". */
const startApiWithZone = async (options: Parameters<typeof startApi>[0] = {}) =>
  await addZone(await startApi({ role: 'anonymous', ...options }));

async function addZone<Api extends ApiHarness>(api: Api) {
  await api.request('/v1/orgs/acme/products', {
    method: 'POST',
    role: 'platform-admin',
    body: { name: 'hello', spec: { repos: ['acme/hello'] } },
  });
  await api.request('/v1/access/users', { method: 'POST', via: 'session', role: 'platform-admin', body: credentials });
  await api.store.create(AccessGroupKind, {
    metadata: { namespace: 'org-acme', name: 'readers' },
    spec: { name: 'readers', role: 'viewer', members: [credentials.email] },
  });
  const submit = async (password = credentials.password, headers: Record<string, string> = {}, path = signInPath) =>
    api.request(path, {
      method: 'POST',
      body: new URLSearchParams({ ...credentials, password }).toString(),
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
    });
  const redeem = async (url: string, { host = 'hello-rc.localhost:8081', cookie = browserCookie } = {}) => {
    const { pathname, search } = new URL(url);
    return api.app.request(`${pathname}${search}`, { headers: { 'x-service-zone-host': host, cookie } });
  };
  const authorize = async (cookie: string, zone = 'hello-rc') =>
    api.request(`/v1/auth/zone-access?zone=${zone}`, { headers: { Cookie: cookie } });
  const openZone = async () => {
    const redirect = await submit();
    const redeemed = await redeem(redirect.headers.get('Location') ?? '');
    return { session: readCookie(redirect), zoneSession: readCookie(redeemed), redeemed };
  };
  return { ...api, submit, redeem, authorize, openZone };
}

describe('startZoneSignIn', () => {
  it('303: asks the host of the zone to identify the browser, which sends it back', async () => {
    const { request, redeem } = await startApiWithZone();
    const redirect = await request(gatePath);
    expect(redirect.status).toBe(303);
    const location = redirect.headers.get('Location') ?? '';
    expect(location).toMatch(/^http:\/\/hello-rc\.localhost:8081\/\.service\/sign-in\?zone=hello-rc&to=/);
    const identified = await redeem(location, { cookie: '' });
    const cookie = readCookie(identified).replace('svc_zone_browser=', '');
    expect(identified.headers.get('Location')).toBe(
      `http://localhost:8080/api${gatePath}&browser=${hash('sha256', cookie)}`,
    );
  });

  it('200: shows the sign-in page to a browser without a session', async () => {
    const { request } = await startApiWithZone();
    const response = await request(signInPath);
    expect(response.status).toBe(200);
    const page = await response.text();
    expect(page).toContain('Sign in to open hello-rc');
    expect(page).not.toContain('role="alert"');
    expect(response.headers.get('Content-Security-Policy')).toContain("frame-ancestors 'none'");
  });

  it('303: redirects a browser with a session to the zone', async () => {
    const { request, submit } = await startApiWithZone();
    const response = await request(signInPath, { headers: { Cookie: readCookie(await submit()) } });
    expect(response.status).toBe(303);
    expect(response.headers.get('Location')).toMatch(/^http:\/\/hello-rc\.localhost:8081\/\.service\/sign-in\?ticket=/);
  });

  it('401: refuses the session of a password that only platform admins sign in with', async () => {
    const config = { passwordSignIn: 'platform-admins' as const };
    const { request, store, submit } = await startApiWithZone({ config });
    expect((await submit()).status).toBe(403);
    await setPlatformAdmin(store, credentials.email, true);
    const cookie = readCookie(await submit());
    const openZone = async () => (await request(signInPath, { headers: { Cookie: cookie } })).status;
    expect(await openZone()).toBe(303);
    await setPlatformAdmin(store, credentials.email, false);
    expect(await openZone()).toBe(401);
  });

  it('200: shows the sign-in page to a browser whose session is idle or rejected', async () => {
    let now = Date.now();
    const { request, submit, store } = await startApiWithZone({ now: () => new Date(now) });
    const openZone = async (cookie: string) => (await request(signInPath, { headers: { Cookie: cookie } })).status;
    const idle = readCookie(await submit());
    now += 2 * 60 * 60_000 - 1;
    expect(await openZone(idle)).toBe(303);
    now += 1;
    expect(await openZone(idle)).toBe(200);

    const cookie = readCookie(await submit());
    expect(await openZone(cookie)).toBe(303);
    const ref = { namespace: 'service-system', name: tokenName(cookie.split('=')[1] ?? '') };
    await store.updateStatus(ApiTokenKind, ref, () => ({ conditions: rejected }));
    expect(await openZone(cookie)).toBe(200);
  });

  it('303: leads the visitor of a public zone to the zone', async () => {
    const { request, submit, store } = await startApiWithZone();
    await store.updateStatus(ProductKind, { namespace: 'org-acme', name: 'hello' }, () => ({
      zones: [serve('hello-rc', 'rc.example.com', 'public')],
    }));
    for (const response of [await request(gatePath), await request(signInPath), await submit('a wrong password')]) {
      expect(response.status).toBe(303);
      expect(response.headers.get('Location')).toBe(`${zoneUrl}/page?one=1`);
    }
  });

  it('does not tell a stranger whether a zone exists', async () => {
    const { request, submit, redeem, store } = await startApiWithZone();
    const toOther = (path: string): string => path.replaceAll('hello-rc', 'nowhere');
    const describe = async (response: Response) => ({
      status: response.status,
      location: response.headers.get('Location'),
      body: (await response.text()).replaceAll(/req_\w+|[\w-]{36}/g, 'id'),
    });
    for (const path of [gatePath, signInPath, gatePath.replace('8081', '8082')]) {
      const [known, unknown] = [await describe(await request(path)), await describe(await request(toOther(path)))];
      expect(JSON.parse(toOther(JSON.stringify(known)))).toEqual(unknown);
    }
    const location = (await request(toOther(gatePath))).headers.get('Location') ?? '';
    expect((await redeem(location, { host: 'nowhere.localhost:8081' })).status).toBe(303);
    expect((await redeem(location.replace('zone=nowhere', 'zone=%20/'))).status).toBe(401);
    await store.delete(AccessGroupKind, { namespace: 'org-acme', name: 'readers' });
    for (const password of ['a wrong password', credentials.password]) {
      const known = await describe(await submit(password));
      const unknown = await describe(await submit(password, {}, toOther(signInPath)));
      expect(JSON.parse(toOther(JSON.stringify(known)))).toEqual(unknown);
    }
  });

  it('422: rejects a URL that is not served by the zone', async () => {
    const { request, submit } = await startApiWithZone();
    const noBrowser = await submit(credentials.password, {}, gatePath);
    expect(await noBrowser.json()).toMatchObject({ status: 422, errors: [{ pointer: '?browser' }] });
    const evil = await request(`/v1/auth/zone-sign-in?zone=hello-rc&to=${encodeURIComponent('http://evil.example/')}`);
    expect(await evil.json()).toMatchObject({ status: 422, errors: [{ pointer: '?to' }] });
    for (const to of ['http://hello-rc.localhost:9000/', 'https://hello-rc.localhost:8081/']) {
      const elsewhere = await request(`/v1/auth/zone-sign-in?zone=hello-rc&to=${encodeURIComponent(to)}`);
      expect(await elsewhere.json()).toMatchObject({ status: 422, errors: [{ pointer: '?to' }] });
    }
  });

  it('303: accepts the addresses that the zone is served at, and not those of another zone', async () => {
    const { request, store } = await startApiWithZone();
    const zones = [serve('hello-prod', 'hello.example.com'), serve('hello-rc', 'rc.example.com')];
    await store.updateStatus(ProductKind, { namespace: 'org-acme', name: 'hello' }, () => ({ zones }));
    const start = async (host: string) =>
      (await request(`/v1/auth/zone-sign-in?zone=hello-rc&to=${encodeURIComponent(`http://${host}:8081/`)}`)).status;
    expect([await start('rc.example.com'), await start('hello.example.com')]).toEqual([303, 422]);
  });
});

describe('signInToZone', () => {
  it('303: starts a session and redirects to the zone', async () => {
    const { submit } = await startApiWithZone();
    const response = await submit();
    expect(response.status).toBe(303);
    expect(readCookie(response)).toMatch(/^svc_session=svc_/);
  });

  it('401: shows the form with the error for wrong credentials', async () => {
    const { submit } = await startApiWithZone();
    const response = await submit('a wrong password', { Accept: 'text/html' });
    expect(response.status).toBe(401);
    const page = await response.text();
    expect(page).toContain('The e-mail address or the password is wrong.');
    expect(page).toContain('<form method="post">');
    for (const password of ['a wrong password', 'x'])
      expect(await (await submit(password)).json()).toMatchObject({ reason: 'invalid-credentials' });
  });

  it('403: rejects a form of another site, and a user without a role in the org', async () => {
    const { submit, store } = await startApiWithZone();
    const crossOrigin = await submit(credentials.password, { Origin: 'https://elsewhere.example' });
    expect(await crossOrigin.json()).toMatchObject({ status: 403, reason: 'cross-origin-request' });
    await store.delete(AccessGroupKind, { namespace: 'org-acme', name: 'readers' });
    expect(await (await submit()).json()).toMatchObject({ status: 403, reason: 'zone-access-denied' });
  });
});

describe('redeemLoginTicket', () => {
  it('303: exchanges the ticket for a zone session once', async () => {
    const { submit, redeem } = await startApiWithZone();
    const url = (await submit()).headers.get('Location') ?? '';
    const response = await redeem(url);
    expect(response.status).toBe(303);
    expect(response.headers.get('Location')).toBe('/page?one=1');
    expect(readCookie(response)).toMatch(/^svc_zone_session=svc_/);
    expect(response.headers.getSetCookie()[0]).toMatch(/^svc_zone_browser=;.*Max-Age=0/);
    expect(response.headers.get('Cache-Control')).toBe('no-store');
    expect(await (await redeem(url)).json()).toMatchObject({ status: 401, reason: 'login-ticket-used' });
  });

  it('303: exchanges the ticket in one of two concurrent requests only', async () => {
    const { submit, redeem } = await startApiWithZone();
    const url = (await submit()).headers.get('Location') ?? '';
    const both = await Promise.all([redeem(url), redeem(url)]);
    expect(both.filter((response) => readCookie(response).startsWith('svc_zone_session='))).toHaveLength(1);
  });

  it('401: rejects the ticket after a minute', async () => {
    let now = new Date('2027-01-01T00:00:00.000Z');
    const { submit, redeem } = await startApiWithZone({ now: () => now });
    const [first, second] = [await submit(), await submit()].map(({ headers }) => headers.get('Location') ?? '');
    now = new Date('2027-01-01T00:00:59.999Z');
    expect((await redeem(first ?? '', { host: 'HELLO-rc.localhost:8081' })).status).toBe(303);
    now = new Date('2027-01-01T00:01:00.000Z');
    expect((await redeem(second ?? '')).status).toBe(401);
  });

  it('403: rejects the ticket of a person who has lost the role since', async () => {
    const { submit, redeem, store } = await startApiWithZone();
    const url = (await submit()).headers.get('Location') ?? '';
    await store.delete(AccessGroupKind, { namespace: 'org-acme', name: 'readers' });
    expect(await (await redeem(url)).json()).toMatchObject({ status: 403, reason: 'zone-access-denied' });
  });

  it('401: rejects the ticket after a password that is no longer accepted', async () => {
    const { submit, redeem, store } = await startApiWithZone({ config: { passwordSignIn: 'platform-admins' } });
    await setPlatformAdmin(store, credentials.email, true);
    const url = (await submit()).headers.get('Location') ?? '';
    await setPlatformAdmin(store, credentials.email, false);
    expect(await (await redeem(url)).json()).toMatchObject({ status: 401, reason: 'token-revoked' });
  });

  it('401: rejects the ticket on the host of another zone', async () => {
    const { submit, redeem } = await startApiWithZone();
    const url = (await submit()).headers.get('Location') ?? '';
    expect((await redeem(url, { host: 'hello-prod.localhost:8081' })).status).toBe(401);
  });

  it('401: rejects the ticket in another browser, so that a link cannot sign anyone in as its sender', async () => {
    const { submit, redeem } = await startApiWithZone();
    const url = (await submit()).headers.get('Location') ?? '';
    for (const cookie of ['', 'svc_zone_browser=the-browser-of-a-victim'])
      expect(await (await redeem(url, { cookie })).json()).toMatchObject({ status: 401, reason: 'login-ticket-used' });
    expect((await redeem(url)).status).toBe(303);
  });

  it('identifies a browser at a host of the zone only', async () => {
    const { request, redeem } = await startApiWithZone();
    const location = (await request(gatePath)).headers.get('Location') ?? '';
    expect((await redeem(location, { host: 'evil.example' })).status).toBe(401);
    expect((await redeem(location.replace('zone=hello-rc', 'zone=hello-prod'))).status).toBe(401);
  });

  it.each(['https://evil.example/', '//evil.example/', '/.//evil.example/', '//zone.invalid//evil.example/'])(
    'redirects to a path of the same host only, and not to %s',
    async (to) => {
      const { submit, redeem } = await startApiWithZone();
      const url = new URL((await submit()).headers.get('Location') ?? '');
      url.searchParams.set('to', to);
      expect((await redeem(url.href)).headers.get('Location')).toBe('/');
    },
  );

  it('redirects to no other site that the address in the zone names', async () => {
    const { submit, redeem } = await startApiWithZone();
    const to = encodeURIComponent(`${zoneUrl}//zone.invalid//evil.example/`);
    const path = signInPath.replace(/&to=[^&]+/, `&to=${to}`);
    const url = (await submit(credentials.password, {}, path)).headers.get('Location') ?? '';
    expect((await redeem(url)).headers.get('Location')).toBe('/');
  });
});

describe('authorizeZoneRequest', () => {
  it('204: allows the zone of the session only, and names the user', async () => {
    const { openZone, authorize } = await startApiWithZone();
    const { zoneSession, redeemed } = await openZone();
    // The session of a zone lasts eight hours.
    expect(redeemed.headers.getSetCookie().at(-1)).toContain('; Max-Age=28800;');
    const response = await authorize(`own=1; ${zoneSession}; svc_zone_browser=x`);
    expect(response.status).toBe(204);
    expect(response.headers.get('X-Service-User')).toMatch(/^user-/);
    expect((await authorize(zoneSession, 'hello-prod')).status).toBe(401);
  });

  it('401: rejects a browser session, and a zone session after sign-out', async () => {
    const { openZone, authorize, request } = await startApiWithZone();
    const { session, zoneSession } = await openZone();
    const asZoneSession = session.replace('svc_session', 'svc_zone_session');
    expect(await (await authorize(asZoneSession)).json()).toMatchObject({ status: 401, reason: 'sign-in-required' });
    await request('/v1/auth/sign-out', { method: 'POST', headers: { Cookie: session } });
    expect((await authorize(zoneSession)).status).toBe(401);
  });

  it('401: rejects two zone sessions, one of which another host may have set', async () => {
    const { openZone, authorize } = await startApiWithZone();
    const { zoneSession } = await openZone();
    const response = await authorize(`${zoneSession}; svc_zone_session=planted`);
    expect(await response.json()).toMatchObject({ status: 401, reason: 'ambiguous-cookie' });
  });

  it('403: rejects a user who has lost the role', async () => {
    const { openZone, authorize, store } = await startApiWithZone();
    const { zoneSession } = await openZone();
    await store.delete(AccessGroupKind, { namespace: 'org-acme', name: 'readers' });
    expect((await authorize(zoneSession)).status).toBe(403);
  });

  it('401: rejects the session of a user who is invalid', async () => {
    const { openZone, authorize, store } = await startApiWithZone();
    const { zoneSession } = await openZone();
    await rejectUser(store, credentials.email);
    expect(await (await authorize(zoneSession)).json()).toMatchObject({ status: 401, reason: 'user-rejected' });
  });

  it('401: rejects the session after a password that is no longer accepted', async () => {
    const { openZone, authorize, store } = await startApiWithZone({ config: { passwordSignIn: 'platform-admins' } });
    await setPlatformAdmin(store, credentials.email, true);
    const { zoneSession } = await openZone();
    expect((await authorize(zoneSession)).status).toBe(204);
    await setPlatformAdmin(store, credentials.email, false);
    expect(await (await authorize(zoneSession)).json()).toMatchObject({ status: 401, reason: 'token-revoked' });
  });

  it('401: rejects the session and the ticket of an identity provider that is no longer accepted', async () => {
    const { request, signIn, store, redeem, authorize } = await addZone(await startWithProvider());
    await store.create(AccessGroupKind, {
      metadata: { namespace: 'org-acme', name: 'developers' },
      spec: { name: 'developers', role: 'member', members: ['ada@example.com'] },
    });
    const headers = { Cookie: toCookies(await signIn('sso', 'ada')) };
    const start = async () => await request(signInPath, { role: 'anonymous', headers });
    const issueTicket = async () => (await start()).headers.get('Location') ?? '';
    const zoneSession = readCookie(await redeem(await issueTicket()));
    const ticket = await issueTicket();
    expect((await authorize(zoneSession)).status).toBe(204);
    await store.updateStatus(IdentityProviderKind, { namespace: 'service-system', name: 'sso' }, () => ({
      conditions: rejected,
    }));
    for (const response of [await authorize(zoneSession), await redeem(ticket), await start()])
      expect(await response.json()).toMatchObject({ status: 401, reason: 'token-revoked' });
  });

  it('204: allows the zone while the session that opened it is idle', async () => {
    let now = Date.now();
    const { openZone, authorize } = await startApiWithZone({ now: () => new Date(now) });
    const { zoneSession } = await openZone();
    now += 8 * 60 * 60_000 - 1;
    expect((await authorize(zoneSession)).status).toBe(204);
    now += 1;
    expect((await authorize(zoneSession)).status).toBe(401);
  });

  it('401: rejects the session of an earlier account with the same name', async () => {
    const { openZone, authorize, store } = await startApiWithZone();
    const { zoneSession } = await openZone();
    const { items } = await store.list(ApiTokenKind, { namespace: 'service-system' });
    const token = items.find(({ spec }) => spec.use === 'zone-session')!;
    await store.replace(ApiTokenKind, { ...token, spec: { ...token.spec, userUid: 'the earlier account' } });
    expect(await (await authorize(zoneSession)).json()).toMatchObject({ status: 401, reason: 'token-revoked' });
  });
});
