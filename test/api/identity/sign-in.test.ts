import { describe, expect, it } from 'vitest';
import { createPasswordHasher } from '../../../api/auth/password-hasher.ts';
import { savePassword } from '../../../api/auth/passwords.ts';
import { SecretKind } from '../../../src/kinds/kubernetes.ts';
import { ApiTokenKind, UserKind } from '../../../src/rules/access/kinds.ts';
import { userName } from '../../../src/rules/access/user-name.ts';
import { systemNamespace } from '../../../src/rules/resource.ts';
import { signInAtProvider } from '../../support/servers/sign-in-at-provider.ts';
import { rejectUser } from '../auth/session-fixture.ts';
import { ada, admin, toCallbackUrl, publicUrl, startWithProvider, toCookies, toFields } from './sign-in-fixture.ts';

describe('listSignInMethods', () => {
  it('200: tells a stranger the names of the providers and nothing else', async () => {
    const { request } = await startWithProvider();
    const response = await request('/v1/auth/methods', { role: 'anonymous' });
    expect(await response.json()).toEqual({
      password: 'everyone',
      identityProviders: [{ name: 'sso', label: 'Provider sso' }],
    });
  });
});

describe('startProviderSignIn', () => {
  it('303: redirects to the provider with state, nonce and PKCE, and remembers them in the browser only', async () => {
    const { start, provider, store } = await startWithProvider();
    const { response, url, cookies } = await start('sso', '/acme?view=all');
    expect(response.status).toBe(303);
    expect(url.startsWith(`${provider.issuer}/auth?`)).toBe(true);
    const query = Object.fromEntries(new URL(url).searchParams);
    expect(query).toMatchObject({
      response_type: 'code',
      client_id: 'delivery',
      redirect_uri: toCallbackUrl('sso'),
      scope: 'openid email groups offline_access',
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(response.headers.get('Set-Cookie')).toMatch(
      /^svc_oidc=[\w-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    expect(response.headers.get('Cache-Control')).toBe('no-store');
    expect(cookies).not.toContain('svc_session');
    expect((await store.list(UserKind)).items).toHaveLength(2);
  });

  it.each(['https://evil.example', '//evil.example', '/\\evil.example', 'javascript:alert(1)', 'acme'])(
    '422: refuses to continue at %s after the sign-in',
    async (to) => {
      const { start } = await startWithProvider();
      const { response } = await start('sso', to);
      expect(await response.json()).toMatchObject({ status: 422, errors: [{ pointer: '?to' }] });
    },
  );

  it('404: says that there is no such provider', async () => {
    const { start } = await startWithProvider();
    expect((await start('other')).response.status).toBe(404);
  });

  it('503: says that the provider does not answer, and asks it again for the next person', async () => {
    const { start, provider } = await startWithProvider();
    provider.stop();
    const { response } = await start('sso');
    expect(await response.json()).toMatchObject({ status: 503, reason: 'identity-provider-unavailable' });
    provider.start();
    expect((await start('sso')).response.status).toBe(303);
  });
});

describe('finishProviderSignIn', () => {
  it('303: signs a new person in as a user without a role and without a password', async () => {
    const { signIn, requestWith, store } = await startWithProvider();
    const response = await signIn('sso', 'ada', '/acme?view=all#top');
    expect(response.status).toBe(303);
    expect(response.headers.get('Location')).toBe(`${publicUrl}/acme?view=all#top`);
    const me = await (await requestWith('/v1/me', toCookies(response))).json();
    expect(me).toEqual({
      user: expect.any(String),
      email: 'ada@example.com',
      platformAdmin: false,
      via: 'session',
      orgs: [],
    });
    const users = (await store.list(UserKind)).items.filter(({ spec }) => spec.email === 'ada@example.com');
    expect(users[0]?.spec).toMatchObject({ platformAdmin: false, identities: [{ subject: 'ada' }] });
  });

  it('303: deletes the password that an interrupted request left at the address of a new person', async () => {
    const { signIn, request, store } = await startWithProvider();
    const credentials = { email: 'ada@example.com', password: 'the password of another' };
    const ref = { namespace: systemNamespace, name: userName(credentials.email) };
    await savePassword({ store, hasher: createPasswordHasher() }, credentials.email, credentials.password);
    expect((await signIn('sso', 'ada')).status).toBe(303);
    expect(await store.find(SecretKind, ref)).toBeUndefined();
    const attempt = await request('/v1/auth/sign-in', { method: 'POST', body: credentials, role: 'anonymous' });
    expect(attempt.status).toBe(401);
  });

  it('303: finds the person again by issuer and subject, also under another address', async () => {
    const { signIn, provider, store } = await startWithProvider();
    await signIn('sso', 'ada');
    provider.accounts['ada'] = { ...ada, email: 'ada.lovelace@example.com' };
    expect((await signIn('sso', 'ada')).status).toBe(303);
    const addresses = (await store.list(UserKind)).items.map(({ spec }) => spec.email);
    expect(addresses.filter((email) => email.startsWith('ada'))).toEqual(['ada@example.com']);
  });

  it('303: starts another session for every sign-in, whatever session the browser had', async () => {
    const { start, finish, store } = await startWithProvider();
    const planted = `svc_session=svc_${'A'.repeat(49)}`;
    const { url, cookies } = await start('sso');
    const callbackUrl = await signInAtProvider(url, { fields: toFields('ada'), callback: toCallbackUrl('sso') });
    const response = await finish(callbackUrl, `${cookies}; ${planted}`);
    expect(toCookies(response)).toMatch(/^svc_session=svc_\w{49}$/);
    expect(toCookies(response)).not.toBe(planted);
    const sessions = (await store.list(ApiTokenKind, { fields: { 'spec.use': 'session' } })).items;
    expect(sessions.filter(({ spec }) => spec.signInMethod === 'oidc')).toHaveLength(1);
  });

  it('401: starts no session of a user who is invalid', async () => {
    const { signIn, store } = await startWithProvider();
    await signIn('sso', 'ada');
    await rejectUser(store, 'ada@example.com');
    const response = await signIn('sso', 'ada');
    expect(await response.json()).toMatchObject({ status: 401, reason: 'user-rejected' });
    expect(toCookies(response)).toBe('');
  });

  it('403: does not link the address of a user who has a password, not even of a platform admin', async () => {
    const { signIn, provider, request, store } = await startWithProvider();
    provider.accounts['ada'] = { ...ada, email: admin.email };
    const response = await signIn('sso', 'ada');
    expect(await response.json()).toMatchObject({ status: 403, reason: 'identity-not-linked' });
    expect(toCookies(response)).toBe('');
    const users = (await store.list(UserKind)).items.filter(({ spec }) => spec.email === admin.email);
    expect(users[0]?.spec.identities).toBeUndefined();
    expect((await request('/v1/auth/sign-in', { method: 'POST', body: admin, role: 'anonymous' })).status).toBe(200);
  });

  it.each([
    ['not verified', { ...ada, email_verified: false }, 'has not verified'],
    ['verified by a word only', { ...ada, email_verified: 'true' as unknown as boolean }, 'has not verified'],
    ['missing', { email_verified: true }, 'did not share'],
    ['no address', { ...ada, email: 'ada' }, 'invalid e-mail address'],
    ['of a foreign domain', { ...ada, email: 'ada@evil.example' }, 'may not sign in'],
    ['of a domain that ends like an allowed one', { ...ada, email: 'ada@notexample.com' }, 'may not sign in'],
  ])('403: refuses an address that is %s', async (_, account, detail) => {
    const { signIn, provider, store } = await startWithProvider({ spec: { emailDomains: ['example.com'] } });
    provider.accounts['ada'] = account;
    const response = await signIn('sso', 'ada');
    expect(await response.json()).toMatchObject({
      status: 403,
      reason: 'identity-not-allowed',
      detail: expect.stringContaining(detail),
    });
    expect((await store.list(UserKind)).items).toHaveLength(2);
  });

  it.each([
    ['a text', 'admins'],
    ['a map', { admins: true }],
    ['a list of numbers', [1]],
    ['a list of lists', [['a']]],
  ])('401: refuses groups that are %s', async (_, groups) => {
    const { signIn, provider } = await startWithProvider();
    provider.accounts['ada'] = { ...ada, groups };
    const response = await signIn('sso', 'ada');
    expect(await response.json()).toMatchObject({ status: 401, reason: 'sign-in-rejected' });
  });

  it('401: shows a person who cancelled a page with the way back', async () => {
    const { start, finish, provider } = await startWithProvider();
    const { url, cookies } = await start('sso');
    const query = new URLSearchParams({
      error: 'access_denied',
      state: new URL(url).searchParams.get('state') ?? '',
      iss: provider.issuer,
    });
    const response = await finish(`${toCallbackUrl('sso')}?${query.toString()}`, cookies, { Accept: 'text/html' });
    expect(response.status).toBe(401);
    const page = await response.text();
    expect(page).toContain('(access_denied)');
    expect(page).toContain('href="/signin"');
  });
});
