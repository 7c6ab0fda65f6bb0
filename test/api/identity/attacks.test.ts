import { generateKeyPair, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { ApiTokenKind } from '../../../src/rules/access/kinds.ts';
import { startHostileProvider } from '../../support/servers/hostile-openid-provider.ts';
import { startOpenIdProvider } from '../../support/servers/openid-provider.ts';
import { signInAtProvider } from '../../support/servers/sign-in-at-provider.ts';
import { ada, toCallbackUrl, startApiForSignIn, startWithProvider, toCookies, toFields } from './sign-in-fixture.ts';

/** Signs Ada in at the provider, up to the response that the browser would bring to the service. */
async function startAttack() {
  const api = await startWithProvider();
  const { url, cookies } = await api.start('sso');
  const callbackUrl = await signInAtProvider(url, { fields: toFields('ada'), callback: toCallbackUrl('sso') });
  const change = (parameter: string, value: string | undefined): string => {
    const changed = new URL(callbackUrl);
    if (value === undefined) changed.searchParams.delete(parameter);
    else changed.searchParams.set(parameter, value);
    return changed.href;
  };
  const exchanges = () => api.provider.requests.filter((request) => request === 'POST /token').length;
  const countSessions = async () =>
    (await api.store.list(ApiTokenKind)).items.filter(({ spec }) => spec.signInMethod === 'oidc').length;
  return { ...api, callbackUrl, cookies, change, exchanges, countSessions };
}

/** Changes what the browser remembers about its sign-in. */
function changeCookie(cookies: string, change: Record<string, unknown>): string {
  const [name = '', value = ''] = cookies.split('=');
  const content = JSON.parse(Buffer.from(value, 'base64url').toString()) as object;
  return `${name}=${Buffer.from(JSON.stringify({ ...content, ...change })).toString('base64url')}`;
}

describe('a response that the browser did not ask for', () => {
  it('401: is refused without the cookie of the browser that started', async () => {
    const { finish, callbackUrl, exchanges, countSessions } = await startAttack();
    const response = await finish(callbackUrl, '');
    expect(await response.json()).toMatchObject({ status: 401, reason: 'sign-in-state-invalid' });
    expect([exchanges(), await countSessions()]).toEqual([0, 0]);
  });

  it('401: is refused in another browser that has started to sign in too', async () => {
    const { start, finish, callbackUrl, exchanges, countSessions } = await startAttack();
    const { cookies } = await start('sso');
    expect((await finish(callbackUrl, cookies)).status).toBe(401);
    expect([exchanges(), await countSessions()]).toEqual([0, 0]);
  });

  it('401: is refused with two cookies with the same name, of which another site has set one', async () => {
    const { finish, callbackUrl, cookies } = await startAttack();
    const response = await finish(callbackUrl, `${cookies}; ${cookies}`);
    expect(await response.json()).toMatchObject({ status: 401, reason: 'ambiguous-cookie' });
  });

  it.each([
    ['without a state', 'state', undefined],
    ['with another state', 'state', 'A'.repeat(43)],
    ['without an issuer', 'iss', undefined],
    ['of another issuer', 'iss', 'https://evil.example'],
    ['without a code', 'code', undefined],
  ])('401: is refused %s, before the code is exchanged', async (_, parameter, value) => {
    const { finish, change, cookies, exchanges, countSessions } = await startAttack();
    const response = await finish(change(parameter, value), cookies);
    expect(await response.json()).toMatchObject({ status: 401, reason: 'sign-in-rejected' });
    expect([exchanges(), await countSessions()]).toEqual([0, 0]);
  });

  it('422: is refused with the parameters twice', async () => {
    const { finish, callbackUrl, cookies, exchanges } = await startAttack();
    const { searchParams } = new URL(callbackUrl);
    const response = await finish(`${callbackUrl}&state=${searchParams.get('state')}`, cookies);
    expect([response.status, exchanges()]).toEqual([422, 0]);
  });

  it('401: is refused after ten minutes', async () => {
    let now = Date.now();
    const api = await startWithProvider({ now: () => new Date(now) });
    const { url, cookies } = await api.start('sso');
    const callbackUrl = await signInAtProvider(url, { fields: toFields('ada'), callback: toCallbackUrl('sso') });
    now += 10 * 60_000;
    expect(await (await api.finish(callbackUrl, cookies)).json()).toMatchObject({ reason: 'sign-in-state-invalid' });
  });

  it.each([
    ['PKCE verifier', { codeVerifier: 'A'.repeat(43) }],
    ['nonce', { nonce: 'A'.repeat(43) }],
  ])('401: is refused with another %s', async (_, change) => {
    const { finish, callbackUrl, cookies, countSessions } = await startAttack();
    const response = await finish(callbackUrl, changeCookie(cookies, change));
    expect(await response.json()).toMatchObject({ status: 401, reason: 'sign-in-rejected' });
    expect(await countSessions()).toBe(0);
  });

  it.each([{ state: '' }, { nonce: '' }, { codeVerifier: '' }, { provider: 7 }])(
    '401: is refused when the cookie says %o',
    async (change) => {
      const { finish, callbackUrl, cookies, exchanges } = await startAttack();
      const response = await finish(callbackUrl, changeCookie(cookies, change));
      expect(await response.json()).toMatchObject({ status: 401, reason: 'sign-in-state-invalid' });
      expect(exchanges()).toBe(0);
    },
  );

  it('401: is refused the second time, also by a browser that kept its cookie', async () => {
    const { finish, callbackUrl, cookies, countSessions } = await startAttack();
    const first = await finish(callbackUrl, cookies);
    expect(first.status).toBe(303);
    expect(first.headers.getSetCookie().some((line) => line.startsWith('svc_oidc=; Max-Age=0'))).toBe(true);
    expect((await finish(callbackUrl, cookies)).status).toBe(401);
    expect(await countSessions()).toBe(1);
  });

  it('303: opens the home page when the cookie names a page elsewhere', async () => {
    const { finish, callbackUrl, cookies } = await startAttack();
    const response = await finish(callbackUrl, changeCookie(cookies, { to: 'https://evil.example/' }));
    expect(response.headers.get('Location')).toBe('http://localhost:8080/');
  });

  it('429: is limited per address, because each makes the service ask the provider', async () => {
    const { start, finish } = await startWithProvider();
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 31; attempt += 1) {
      const { url, cookies } = await start('sso');
      const state = new URL(url).searchParams.get('state');
      statuses.push((await finish(`${toCallbackUrl('sso')}?state=${state}&code=guess`, cookies)).status);
    }
    expect([...new Set(statuses.slice(0, 30))]).toEqual([401]);
    expect(statuses.at(-1)).toBe(429);
  });
});

describe('the response of another provider (mix-up)', () => {
  it('401: is refused, and its code is sent to neither provider', async () => {
    const honest = await startOpenIdProvider({
      redirectUris: [toCallbackUrl('honest')],
      accounts: { ada: { ...ada } },
    });
    const hostile = await startHostileProvider();
    const { addProvider, start, finish } = await startApiForSignIn();
    await addProvider('honest', honest.issuer);
    await addProvider('hostile', hostile.issuer);
    const victim = await start('honest');
    const callbackUrl = await signInAtProvider(victim.url, {
      fields: toFields('ada'),
      callback: toCallbackUrl('honest'),
    });
    const { search } = new URL(callbackUrl);
    // The victim has chosen the hostile provider, which sent the browser on to the honest one with its own state.
    const chosen = await start('hostile');
    const state = new URL(chosen.url).searchParams.get('state') ?? '';
    const mixed = new URLSearchParams(search);
    mixed.set('state', state);
    expect((await finish(`${toCallbackUrl('hostile')}?${mixed.toString()}`, chosen.cookies)).status).toBe(401);
    expect((await finish(`${toCallbackUrl('hostile')}${search}`, victim.cookies)).status).toBe(401);
    expect((await finish(`${toCallbackUrl('honest')}?${mixed.toString()}`, chosen.cookies)).status).toBe(401);
    expect(hostile.exchanges).toEqual([]);
    expect(honest.requests.filter((request) => request.startsWith('POST /token'))).toEqual([]);
  });

  it('401: is refused when it names a subject of the other provider', async () => {
    const honest = await startOpenIdProvider({
      redirectUris: [toCallbackUrl('honest')],
      accounts: { ada: { ...ada } },
    });
    const hostile = await startHostileProvider();
    const { addProvider, signIn, start, finish } = await startApiForSignIn();
    await addProvider('honest', honest.issuer);
    await addProvider('hostile', hostile.issuer);
    expect((await signIn('honest', 'ada')).status).toBe(303);
    const { url, cookies } = await start('hostile');
    const { searchParams } = new URL(url);
    hostile.answer.nonce = searchParams.get('nonce') ?? '';
    const query = new URLSearchParams({ code: 'one', state: searchParams.get('state') ?? '', iss: hostile.issuer });
    // The subject and the address are those of Ada, but the issuer is not.
    const response = await finish(`${toCallbackUrl('hostile')}?${query.toString()}`, cookies);
    expect(await response.json()).toMatchObject({ status: 403, reason: 'identity-not-linked' });
    expect(toCookies(response)).toBe('');
  });
});

describe('an ID token', () => {
  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');

  async function signInAtHostile(
    prepare: (hostile: Awaited<ReturnType<typeof startHostileProvider>>) => void | Promise<void>,
  ): Promise<Response> {
    const hostile = await startHostileProvider();
    const { addProvider, start, finish } = await startApiForSignIn();
    await addProvider('sso', hostile.issuer);
    const { url, cookies } = await start('sso');
    const { searchParams } = new URL(url);
    hostile.answer.nonce = searchParams.get('nonce') ?? '';
    await prepare(hostile);
    const query = new URLSearchParams({ code: 'one', state: searchParams.get('state') ?? '', iss: hostile.issuer });
    return await finish(`${toCallbackUrl('sso')}?${query.toString()}`, cookies);
  }

  it('303: signs a person in when it is valid', async () => {
    expect((await signInAtHostile(() => undefined)).status).toBe(303);
  });

  it.each<[string, Parameters<typeof signInAtHostile>[0]]>([
    [
      'of algorithm "none"',
      ({ answer }) => void (answer.idToken = async (claims) => `${encode({ alg: 'none' })}.${encode(claims)}.`),
    ],
    [
      'of algorithm "none" that the provider lists',
      ({ answer }) => {
        answer.metadata = { id_token_signing_alg_values_supported: ['none', 'RS256'] };
        answer.idToken = async (claims) => `${encode({ alg: 'none' })}.${encode(claims)}.`;
      },
    ],
    [
      'signed by another key of the same id',
      async ({ answer }) => {
        const { privateKey } = await generateKeyPair('RS256');
        answer.idToken = async (claims) =>
          await new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'one' }).sign(privateKey);
      },
    ],
    [
      'whose claims were changed after it was signed',
      ({ answer, sign }) =>
        void (answer.idToken = async (claims) => {
          const [header, , signature] = (await sign(claims)).split('.');
          return `${header}.${encode({ ...claims, sub: 'root' })}.${signature}`;
        }),
    ],
    [
      'signed with the client secret as a shared key',
      ({ answer }) =>
        void (answer.idToken = async (claims) =>
          await new SignJWT(claims)
            .setProtectedHeader({ alg: 'HS256' })
            .sign(new TextEncoder().encode('the secret of the installation'))),
    ],
    ['for another client', ({ answer }) => void (answer.claims = { aud: 'other' })],
    ['of another issuer', ({ answer }) => void (answer.claims = { iss: 'https://honest.example' })],
    ['that has expired', ({ answer }) => void (answer.claims = { exp: Math.floor(Date.now() / 1000) - 60 })],
    ['without the nonce', ({ answer }) => void (answer.claims = { nonce: undefined })],
    ['with another nonce', ({ answer }) => void (answer.claims = { nonce: 'A'.repeat(43) })],
    ['without a subject', ({ answer }) => void (answer.claims = { sub: undefined })],
    ['that is no token', ({ answer }) => void (answer.idToken = async () => 'token')],
  ])('401: is refused when it is one %s', async (_, prepare) => {
    const response = await signInAtHostile(prepare);
    expect(await response.json()).toMatchObject({ status: 401, reason: 'sign-in-rejected' });
    expect(toCookies(response)).toBe('');
  });
});
