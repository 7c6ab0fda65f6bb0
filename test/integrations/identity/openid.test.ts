import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createIdentityProviders } from '../../../src/integrations/identity/create-identity-providers.ts';
import type { OpenIdClient } from '../../../src/integrations/identity/identity-providers.ts';
import { fetchWithTimeout } from '../../../src/integrations/network/fetch-with-timeout.ts';
import { createTestDispatcher } from '../../support/servers/test-dispatcher.ts';

const fetch = fetchWithTimeout({
  timeoutMs: 10_000,
  bytesMax: 1024 * 1024,
  dispatcher: createTestDispatcher('127.0.0.1'),
});
const redirectUri = 'http://localhost:8080/callback';
const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
const encode = (text: string): string => Buffer.from(text).toString('base64url');

type Claims = Record<string, unknown>;
type Reply = { status?: number; headers?: Record<string, string>; body: unknown };
type Script = {
  metadata?: Claims;
  /** Claims of the ID token; without it there is none. */
  claims?: Claims | undefined;
  idToken?: string;
  tokens?: Claims;
  userInfo?: Reply;
  tokenReply?: Reply;
  keys?: Reply;
};

/** Starts a provider that answers as the script says, which a test may change. */
async function startProvider(script: Script = {}) {
  const requests: { path: string; authorization: string | undefined; form: Record<string, string> }[] = [];
  const state = { nonce: '', isAway: false };
  const server = createServer(async (request, response) => {
    const form = new URLSearchParams(Buffer.concat(await Array.fromAsync(request)).toString());
    const { url: path = '', headers } = request;
    requests.push({ path, authorization: headers.authorization, form: Object.fromEntries(form) });
    const reply = state.isAway ? { status: 503, body: {} } : ((await answer(path)) ?? { status: 404, body: {} });
    response.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers });
    response.end(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function answer(path: string): Promise<Reply | undefined> {
    if (path === '/.well-known/openid-configuration')
      return {
        body: {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/keys`,
          ...(script.userInfo && { userinfo_endpoint: `${issuer}/userinfo` }),
          ...script.metadata,
        },
      };
    if (path === '/keys')
      return script.keys ?? { body: { keys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256' }] } };
    if (path === '/userinfo') return script.userInfo;
    if (path !== '/token') return undefined;
    const idToken = script.idToken ?? (script.claims && (await sign(script.claims)));
    const tokens = { access_token: 'access', token_type: 'Bearer', ...script.tokens };
    return script.tokenReply ?? { body: { ...tokens, ...(idToken !== undefined && { id_token: idToken }) } };
  }

  const sign = async (claims: Claims): Promise<string> => {
    const now = Math.floor(Date.now() / 1000);
    const valid = { iss: issuer, aud: 'delivery', sub: 'ada', iat: now, exp: now + 300, nonce: state.nonce };
    return await new SignJWT({ ...valid, ...claims }).setProtectedHeader({ alg: 'RS256', kid: 'one' }).sign(privateKey);
  };
  const client: OpenIdClient = {
    type: 'openid',
    issuer,
    clientId: 'delivery',
    clientSecret: 'the secret',
    scopes: undefined,
    groupsClaim: 'groups',
    redirectUri,
  };
  const providers = createIdentityProviders({ fetch });
  const count = (path: string) => requests.filter((request) => request.path === path).length;
  const readScope = async (changes: Partial<OpenIdClient> = {}) =>
    new URL((await providers.startSignIn({ ...client, ...changes })).url).searchParams.get('scope');
  const signIn = async (changes: Partial<OpenIdClient> = {}) => {
    const own = { ...client, ...changes };
    const { checks } = await providers.startSignIn(own);
    state.nonce = checks.nonce;
    return await providers.finishSignIn(own, { query: `?code=one&state=${checks.state}`, checks });
  };
  const saved: string[] = [];
  const renew = async (subject = 'ada') =>
    await providers.renew(client, { refreshToken: 'refresh', subject }, async (token) => void saved.push(token));
  return { issuer, client, script, state, providers, requests, count, readScope, signIn, renew, saved };
}

describe('startSignIn', () => {
  it('sends the browser to the provider, with checks that only this browser knows', async () => {
    const { issuer, client, providers } = await startProvider();
    const { url, checks } = await providers.startSignIn(client);
    const challenge = createHash('sha256').update(checks.codeVerifier).digest('base64url');
    expect(url).toContain(`${issuer}/authorize?`);
    expect(Object.fromEntries(new URL(url).searchParams)).toEqual({
      client_id: 'delivery',
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: 'openid email profile',
      state: checks.state,
      nonce: checks.nonce,
      code_challenge: challenge,
      code_challenge_method: 'S256',
    });
    expect(new Set(Object.values(checks)).size).toBe(3);
  });

  it('asks for the scopes of the setting, or else for those that the provider supports', async () => {
    const { readScope } = await startProvider({
      metadata: { scopes_supported: ['openid', 'groups', 'email', 'admin'] },
    });
    expect(await readScope()).toBe('openid email groups');
    expect(await readScope({ scopes: ['openid', 'roles'] })).toBe('openid roles');
  });

  it('discovers a provider once for each client, and again after a failure', async () => {
    const { client, state, providers, count } = await startProvider();
    const discoveries = () => count('/.well-known/openid-configuration');
    state.isAway = true;
    await expect(providers.startSignIn(client)).rejects.toMatchObject({ reason: 'identity-provider-unavailable' });
    state.isAway = false;
    await providers.startSignIn(client);
    await providers.startSignIn(client);
    expect(discoveries()).toBe(2);
    await providers.startSignIn({ ...client, clientSecret: 'another secret' });
    expect(discoveries()).toBe(3);
  });
});

describe('assertUsable', () => {
  it('asks the provider each time', async () => {
    const { client, providers, count } = await startProvider();
    await providers.assertUsable(client);
    await providers.assertUsable(client);
    expect(count('/.well-known/openid-configuration')).toBe(2);
  });

  it('demands the issuer as the provider writes it', async () => {
    const { issuer, client, providers } = await startProvider();
    await expect(providers.assertUsable({ ...client, issuer: `${issuer}/` })).rejects.toMatchObject({
      reason: 'identity-provider-unusable',
      message: `The provider calls itself "${issuer}". Use exactly that as the issuer.`,
    });
  });

  it.each([
    ['https://sso.example.com/realms/main', 'calls itself "https://sso.example.com/realms/main". Use exactly that'],
    ['a name', 'does not verify (ERR_INVALID_URL)'],
    [undefined, 'does not verify'],
  ])('says that the configuration is of another issuer: %s', async (other, message) => {
    const { client, providers } = await startProvider({ metadata: { issuer: other } });
    await expect(providers.assertUsable(client)).rejects.toMatchObject({ message: expect.stringContaining(message) });
  });

  it.each(['authorization_endpoint', 'token_endpoint'])('demands the %s', async (name) => {
    const { client, providers } = await startProvider({ metadata: { [name]: undefined } });
    await expect(providers.assertUsable(client)).rejects.toMatchObject({
      reason: 'identity-provider-unusable',
      message: expect.stringContaining('does not offer the authorization code flow'),
    });
  });
});

describe('finishSignIn', () => {
  it('returns who the ID token names', async () => {
    const claims = { email: 'ada@example.com', email_verified: true, groups: ['dev'] };
    const { signIn, requests } = await startProvider({ claims, tokens: { refresh_token: 'refresh' } });
    expect(await signIn()).toEqual({
      subject: 'ada',
      email: 'ada@example.com',
      emailVerified: true,
      groups: ['dev'],
      refreshToken: 'refresh',
    });
    const exchange = requests.find(({ path }) => path === '/token');
    expect(exchange?.form).toMatchObject({
      code: 'one',
      redirect_uri: redirectUri,
      code_verifier: expect.stringMatching(/^[\w-]{43}$/),
    });
  });

  it('prefers what the provider says about the person now, and takes only a verified address as one', async () => {
    const { signIn, script } = await startProvider({
      claims: { email: 'old@example.com', email_verified: true, roles: ['dev'] },
      userInfo: { body: { sub: 'ada', email: 'ada@example.com', email_verified: 'true' } },
    });
    expect(await signIn({ groupsClaim: 'roles' })).toEqual({
      subject: 'ada',
      email: 'ada@example.com',
      emailVerified: false,
      groups: ['dev'],
      refreshToken: undefined,
    });
    script.userInfo = { body: { sub: 'ada', email: 7 } };
    expect(await signIn()).toMatchObject({ email: undefined, emailVerified: false, groups: [] });
    script.userInfo = { body: { sub: 'eve' } };
    await expect(signIn()).rejects.toMatchObject({ reason: 'sign-in-rejected' });
  });

  it('takes no address as verified because another one is', async () => {
    const { signIn, script } = await startProvider({
      claims: { email: 'ada@example.com', email_verified: true },
      userInfo: { body: { sub: 'ada', email: 'owner@example.com' } },
    });
    expect(await signIn()).toMatchObject({ email: 'owner@example.com', emailVerified: false });
    // Amazon Cognito sends the claim as a word in the userinfo response, and as JSON defines it in the ID token.
    script.userInfo = { body: { sub: 'ada', email: 'ada@example.com', email_verified: 'true' } };
    expect(await signIn()).toMatchObject({ email: 'ada@example.com', emailVerified: true });
    script.userInfo = { body: { sub: 'ada', email: 'ada@example.com', email_verified: false } };
    expect(await signIn()).toMatchObject({ email: 'ada@example.com', emailVerified: false });
  });

  it('refuses groups that the provider lists elsewhere, because they are too many for a token', async () => {
    const { signIn, script } = await startProvider({
      claims: { _claim_names: { groups: 'src1' }, _claim_sources: { src1: { endpoint: 'https://graph.example.com' } } },
    });
    await expect(signIn()).rejects.toMatchObject({
      reason: 'sign-in-rejected',
      message: expect.stringContaining('too many groups'),
    });
    expect(await signIn({ groupsClaim: 'roles' })).toMatchObject({ groups: [] });
    script.claims = { _claim_names: null, groups: ['dev'] };
    expect(await signIn()).toMatchObject({ groups: ['dev'] });
  });

  it('refuses groups that are no list of texts', async () => {
    const { signIn } = await startProvider({ claims: { groups: [7] } });
    await expect(signIn()).rejects.toMatchObject({
      reason: 'sign-in-rejected',
      message: expect.stringContaining('The claim "groups" of the provider is not a list'),
    });
  });

  it.each([
    ['basic', undefined],
    ['basic', ['client_secret_post', 'client_secret_basic']],
    ['basic', ['private_key_jwt']],
    ['post', ['client_secret_post']],
  ])('sends the secret as %s when the provider lists %s', async (method, methods) => {
    const { signIn, requests } = await startProvider({
      claims: {},
      metadata: { token_endpoint_auth_methods_supported: methods },
    });
    await signIn();
    const exchange = requests.find(({ path }) => path === '/token');
    expect([exchange?.authorization?.startsWith('Basic ') ?? false, exchange?.form['client_secret']]).toEqual(
      method === 'basic' ? [true, undefined] : [false, 'the secret'],
    );
  });

  it('sends the id of a client that has no secret', async () => {
    const { signIn, requests } = await startProvider({ claims: {} });
    await signIn({ clientSecret: undefined });
    const exchange = requests.find(({ path }) => path === '/token');
    expect(exchange).toMatchObject({ authorization: undefined, form: { client_id: 'delivery' } });
    expect(exchange?.form).not.toHaveProperty('client_secret');
  });

  it('refuses an ID token with another signature, for another sign-in, or none', async () => {
    const { signIn, script } = await startProvider({ claims: { nonce: 'other' } });
    await expect(signIn()).rejects.toMatchObject({ reason: 'sign-in-rejected' });
    script.claims = undefined;
    await expect(signIn()).rejects.toMatchObject({ reason: 'sign-in-rejected' });
    script.claims = {};
    const { privateKey: other } = await generateKeyPair('RS256');
    const { state, providers, client } = await startProvider(script);
    const { checks } = await providers.startSignIn(client);
    const now = Math.floor(Date.now() / 1000);
    script.idToken = await new SignJWT({
      iss: client.issuer,
      aud: 'delivery',
      sub: 'ada',
      iat: now,
      exp: now + 300,
      nonce: checks.nonce,
    })
      .setProtectedHeader({ alg: 'RS256', kid: 'one' })
      .sign(other);
    state.nonce = checks.nonce;
    const forged = providers.finishSignIn(client, { query: `?code=one&state=${checks.state}`, checks });
    await expect(forged).rejects.toMatchObject({
      reason: expect.stringMatching(/^(sign-in-rejected|identity-provider-)/),
    });
  });

  it('blames the provider for an ID token that is no JSON, without its text', async () => {
    const idToken = [encode('a header'), encode('claims'), encode('a signature')].join('.');
    const { signIn } = await startProvider({ idToken });
    const failure = signIn();
    await expect(failure).rejects.toMatchObject({ reason: 'identity-provider-unavailable' });
    await expect(failure).rejects.not.toThrow(idToken);
  });
});

describe('renew', () => {
  it('returns the identity with and without a new ID token', async () => {
    const { renew, script, requests, saved } = await startProvider();
    expect(await renew()).toEqual({ subject: 'ada', email: undefined, emailVerified: false, groups: undefined });
    expect(saved).toEqual([]);
    expect(requests.at(-1)?.form).toMatchObject({ grant_type: 'refresh_token', refresh_token: 'refresh' });
    script.claims = { nonce: undefined, groups: ['dev'] };
    expect(await renew()).toMatchObject({ subject: 'ada', groups: ['dev'] });
  });

  it('knows no groups when a response without an ID token has no claim of them', async () => {
    const { renew, script } = await startProvider({ userInfo: { body: { sub: 'ada' } } });
    expect(await renew()).toMatchObject({ subject: 'ada', groups: undefined });
    script.userInfo = { body: { sub: 'ada', groups: [] } };
    expect(await renew()).toMatchObject({ subject: 'ada', groups: [] });
    script.userInfo = { body: { sub: 'ada' } };
    script.claims = { nonce: undefined };
    expect(await renew()).toMatchObject({ subject: 'ada', groups: [] });
  });

  it('passes on the next refresh token also when the provider then fails', async () => {
    const { renew, saved } = await startProvider({
      tokens: { refresh_token: 'next' },
      userInfo: { status: 503, body: {} },
    });
    await expect(renew()).rejects.toMatchObject({ reason: 'identity-provider-unavailable' });
    expect(saved).toEqual(['next']);
  });

  it('passes on the next refresh token also when the keys that signed the ID token cannot be read', async () => {
    const { renew, saved, script } = await startProvider({
      claims: { nonce: undefined },
      tokens: { refresh_token: 'next' },
      keys: { status: 503, body: {} },
    });
    await expect(renew()).rejects.toMatchObject({ reason: 'identity-provider-unavailable' });
    expect(saved).toEqual(['next']);
    delete script.keys;
    expect(await renew()).toMatchObject({ subject: 'ada' });
    expect(saved).toEqual(['next', 'next']);
  });

  it('is refused for another person, and by the provider', async () => {
    const { renew, script } = await startProvider({ claims: { nonce: undefined } });
    expect(await renew('eve')).toBe('refused');
    script.tokenReply = { status: 400, body: { error: 'invalid_grant' } };
    expect(await renew()).toBe('refused');
  });

  it.each<[string, Script]>([
    ['fails', { tokenReply: { status: 503, body: {} } }],
    ['responds with JSON that is not of its API', { tokenReply: { body: { maintenance: true } } }],
    ['has no JSON at its configuration but that of a maintenance page', { metadata: { issuer: undefined } }],
    ['signs with a key that it does not publish yet', { claims: { nonce: undefined }, keys: { body: { keys: [] } } }],
    ['has another clock', { claims: { nonce: undefined, exp: 1 } }],
    ['responds for another person', { userInfo: { body: { sub: 'eve' } } }],
  ])('is no refusal when the provider %s', async (_, script) => {
    const { renew } = await startProvider(script);
    await expect(renew()).rejects.toMatchObject({
      reason: expect.stringMatching(/^identity-provider-(unavailable|unusable)$/),
    });
  });
});

describe('a failure of the provider', () => {
  const toError = (error: string, status = 400): Reply => ({ status, body: { error } });
  const challenge = (...schemes: string[]): Reply => ({
    status: 401,
    headers: { 'www-authenticate': schemes.map((scheme) => `${scheme} realm="x"`).join(', ') },
    body: {},
  });
  const client = 'does not accept the client id and secret';

  it.each<[string, Reply, string, string]>([
    ['invalid_client', toError('invalid_client'), 'identity-provider-unavailable', client],
    ['unauthorized_client', toError('unauthorized_client'), 'identity-provider-unavailable', client],
    ['a challenge', challenge('Basic'), 'identity-provider-unavailable', client],
    ['two challenges', challenge('Bearer', 'Basic'), 'identity-provider-unavailable', client],
    ['a challenge for a token', challenge('Bearer'), 'identity-provider-unavailable', 'did not return your profile'],
    [
      'another redirect URL',
      toError('redirect_uri_mismatch'),
      'identity-provider-unavailable',
      'does not accept the redirect URL',
    ],
    ['an address', toError('unverified_user_email'), 'identity-not-allowed', 'has not verified your e-mail address'],
    ['a limit', toError('slow_down', 429), 'identity-provider-unavailable', 'reported an error'],
    ['an overload', toError('temporarily_unavailable'), 'identity-provider-unavailable', 'reported an error'],
    ['a fault', toError('server_error'), 'identity-provider-unavailable', 'reported an error'],
    ['another code', toError('invalid_grant'), 'sign-in-rejected', 'did not sign you in (invalid_grant).'],
    ['a text', toError('<b>Ada</b>'), 'sign-in-rejected', 'did not sign you in (unknown error).'],
    [
      'another status',
      { status: 503, body: {} },
      'identity-provider-unavailable',
      'unexpected response with status 503.',
    ],
    [
      'another type',
      { headers: { 'content-type': 'text/html' }, body: '<html>' },
      'identity-provider-unavailable',
      'unexpected response with status 200.',
    ],
    ['a text that is no JSON', { body: '{' }, 'identity-provider-unavailable', 'unexpected response. Try again'],
    ['another token', { body: { access_token: 7 } }, 'sign-in-rejected', '(OAUTH_INVALID_RESPONSE)'],
  ])('is translated: %s', async (_, tokenReply, reason, message) => {
    const { signIn } = await startProvider({ tokenReply });
    await expect(signIn()).rejects.toMatchObject({ reason, message: expect.stringContaining(message) });
  });

  it('shows only a code of what the browser brings', async () => {
    const { client: own, providers } = await startProvider();
    for (const [error, shown] of [
      ['access_denied', 'access_denied'],
      ['<b>', 'unknown error'],
    ] as const) {
      const { checks } = await providers.startSignIn(own);
      const query = `?error=${encodeURIComponent(error)}&state=${checks.state}`;
      await expect(providers.finishSignIn(own, { query, checks })).rejects.toMatchObject({
        reason: 'sign-in-rejected',
        message: `The identity provider did not sign you in (${shown}). Sign in again.`,
      });
    }
  });

  it.each<[string, Error, string, string]>([
    ['a timeout', new DOMException('', 'TimeoutError'), 'identity-provider-unavailable', 'does not answer'],
    ['an abort', new DOMException('', 'AbortError'), 'identity-provider-unavailable', 'does not answer'],
    ['any error', new Error('broken'), 'identity-provider-unavailable', 'does not answer'],
    ['no connection', new TypeError('fetch failed'), 'identity-provider-unavailable', 'cannot be reached'],
  ])('is translated without a response: %s', async (_, error, reason, message) => {
    const { client: own } = await startProvider();
    const providers = createIdentityProviders({ fetch: async () => await Promise.reject(error) });
    await expect(providers.assertUsable(own)).rejects.toMatchObject({
      reason,
      message: expect.stringContaining(message),
    });
  });

  it('of the library itself is thrown as it is', async () => {
    const { client: own } = await startProvider();
    const failure = new TypeError('another');
    const providers = createIdentityProviders({ fetch: async () => await Promise.reject(failure) });
    await expect(providers.assertUsable(own)).rejects.toBe(failure);
  });

  it('is the refusal to connect to an address inside', async () => {
    const { client: own } = await startProvider();
    const judged = fetchWithTimeout({ timeoutMs: 10_000, bytesMax: 1024, dispatcher: createTestDispatcher() });
    await expect(createIdentityProviders({ fetch: judged }).assertUsable(own)).rejects.toMatchObject({
      reason: 'identity-provider-unusable',
      message: expect.stringContaining('ALLOWED_INSIDE_ADDRESSES'),
    });
  });
});
