import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isServiceError } from '../../../src/errors.ts';
import { createIdentityProviders } from '../../../src/integrations/identity/create-identity-providers.ts';
import type { GithubClient } from '../../../src/integrations/identity/identity-providers.ts';
import { fetchWithTimeout } from '../../../src/integrations/network/fetch-with-timeout.ts';
import { registerApp, startTestCodehost } from '../../emulators/codehost/codehost-fixture.ts';
import { signInAtProvider } from '../../support/servers/sign-in-at-provider.ts';
import { createTestDispatcher } from '../../support/servers/test-dispatcher.ts';

const redirectUri = 'http://localhost:8080/callback';
const fetch = fetchWithTimeout({
  timeoutMs: 10_000,
  bytesMax: 1024 * 1024,
  dispatcher: createTestDispatcher('127.0.0.1'),
});
const providers = createIdentityProviders({ fetch });

const toClient = (issuer: string, changes: Partial<GithubClient> = {}): GithubClient => ({
  type: 'github',
  issuer,
  clientId: 'delivery',
  clientSecret: 'the secret',
  organizations: undefined,
  redirectUri,
  ...changes,
});

type Reply = { status?: number; headers?: Record<string, string>; body?: unknown };
const token = 'gho_very_secret';
const valid: Record<string, Reply> = {
  '/login/oauth/access_token': { body: { access_token: token, token_type: 'bearer', scope: '' } },
  '/api/v3/user': { body: { id: 7, login: 'grace' } },
  '/api/v3/user/emails': { body: [{ email: 'grace@example.com', primary: true, verified: true }] },
  '/api/v3/user/orgs': { body: [] },
  '/api/v3/user/teams': { body: [] },
};

/** Starts a code host that responds to each path as a test says. */
async function startScriptedCodehost(changes: Record<string, Reply>) {
  const requests: { path: string; headers: IncomingHttpHeaders }[] = [];
  const server = createServer((request, response: ServerResponse) => {
    const [path = ''] = (request.url ?? '').split('?');
    requests.push({ path, headers: request.headers });
    const { status = 200, headers = {}, body = {} } = changes[path] ?? valid[path] ?? { status: 404 };
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

async function signIn(changes: Record<string, Reply>, client: Partial<GithubClient> = {}) {
  const { issuer, requests } = await startScriptedCodehost(changes);
  const own = toClient(issuer, client);
  const { checks } = await providers.startSignIn(own);
  const identity = await providers
    .finishSignIn(own, { query: `?code=one&state=${checks.state}`, checks })
    .catch((error: unknown) => error);
  return { identity, requests };
}

describe('a code host that breaks the protocol', () => {
  it('signs a person in by the number of the account when it keeps to it', async () => {
    const { identity, requests } = await signIn({});
    expect(identity).toEqual({
      subject: '7',
      email: 'grace@example.com',
      emailVerified: true,
      groups: [],
      refreshToken: `access ${token}`,
    });
    expect(requests.map(({ path }) => path)).not.toContain('/api/v3/user/orgs');
  });

  it.each<[string, Record<string, Reply>, string]>([
    [
      'redirects the exchange',
      { '/login/oauth/access_token': { status: 302, headers: { location: '/away' } } },
      'identity-provider-unavailable',
    ],
    ['sends no token', { '/login/oauth/access_token': { body: { scope: '' } } }, 'sign-in-rejected'],
    [
      'redirects the profile',
      { '/api/v3/user': { status: 302, headers: { location: '/away' } } },
      'identity-provider-unavailable',
    ],
    [
      'sends a name in place of the number',
      { '/api/v3/user': { body: { id: 'grace' } } },
      'identity-provider-unavailable',
    ],
    ['sends no JSON', { '/api/v3/user/emails': { body: '<html>' } }, 'identity-provider-unavailable'],
    [
      'sends without end',
      { '/api/v3/user/teams': { body: `["${'x'.repeat(1024 * 1024)}"]` } },
      'identity-provider-unavailable',
    ],
    ['fails', { '/api/v3/user/teams': { status: 502 } }, 'identity-provider-unavailable'],
    [
      'rate limit of the code host was reached',
      { '/api/v3/user': { status: 403, headers: { 'x-ratelimit-remaining': '0' } } },
      'identity-provider-unavailable',
    ],
    ['does not accept its own token', { '/api/v3/user': { status: 401 } }, 'sign-in-rejected'],
    ['hides the addresses', { '/api/v3/user/emails': { status: 404 } }, 'identity-not-allowed'],
    ['has suspended the account', { '/api/v3/user': { status: 403 } }, 'identity-not-allowed'],
  ])('is refused when it %s, and no text contains the token', async (_, changes, reason) => {
    const { identity, requests } = await signIn(changes);
    expect(isServiceError(identity) && identity.reason, String(identity)).toBe(reason);
    expect(String(identity)).not.toContain(token);
    expect(requests.map(({ path }) => path)).not.toContain('/away');
  });

  it.each([
    [{ body: { error: 'incorrect_client_credentials' } }, '/clientSecret'],
    [{ status: 404, body: { error: 'Not Found' } }, '/spec/clientId'],
    [{ body: { error: 'redirect_uri_mismatch' } }, '/name'],
    [valid['/login/oauth/access_token'], '/spec/issuer'],
  ])('is not usable when it answers %j, because of %s', async (reply = {}, pointer) => {
    const { issuer } = await startScriptedCodehost({ '/login/oauth/access_token': reply });
    await expect(providers.assertUsable(toClient(issuer))).rejects.toMatchObject({
      reason: 'identity-provider-unusable',
      errors: [{ pointer }],
    });
  });

  it('refuses a code by an error in its body, which has no meaning in other responses', async () => {
    const failed = { body: { error: 'bad_verification_code' } };
    const { identity } = await signIn({ '/login/oauth/access_token': failed });
    expect(isServiceError(identity) && identity.reason).toBe('sign-in-rejected');
    const other = await signIn({ '/api/v3/user': { body: { id: 7, error: 'bad_verification_code' } } });
    expect(other.identity).toMatchObject({ subject: '7' });
  });

  it('is not asked for pages without end', async () => {
    const page = Array.from({ length: 100 }, (_, index) => ({ slug: `t${index}`, organization: { login: 'acme' } }));
    const link = '<https://evil.example/>; rel="next"';
    const { identity, requests } = await signIn({ '/api/v3/user/teams': { body: page, headers: { link } } });
    expect(isServiceError(identity) && identity.reason).toBe('sign-in-rejected');
    expect(requests.filter(({ path }) => path === '/api/v3/user/teams')).toHaveLength(10);
  });

  it('is refused when the address of the response is not that of the sign-in', async () => {
    const { issuer } = await startScriptedCodehost({});
    const { checks } = await providers.startSignIn(toClient(issuer));
    for (const query of ['?code=one&state=other', '?code=one', `?state=${checks.state}`, '?error=access_denied'])
      await expect(providers.finishSignIn(toClient(issuer), { query, checks })).rejects.toMatchObject({
        reason: 'sign-in-rejected',
      });
  });

  it('is refused when it renews the identity of another person, and kept while it fails', async () => {
    const { issuer } = await startScriptedCodehost({});
    const renew = async (subject: string, url = issuer) =>
      await providers.renew(toClient(url), { refreshToken: `access ${token}`, subject }, async (next) =>
        expect.unreachable(`The token ${next} is not another one.`),
      );
    expect(await renew('7')).toMatchObject({ subject: '7' });
    expect(await renew('8')).toBe('refused');
    const ill = await startScriptedCodehost({ '/api/v3/user': { status: 500 } });
    await expect(renew('7', ill.issuer)).rejects.toMatchObject({ reason: 'identity-provider-unavailable' });
  });

  it('refuses no one when it issues a token that is none', async () => {
    const { issuer } = await startScriptedCodehost({ '/login/oauth/access_token': { body: { maintenance: true } } });
    const renewal = providers.renew(
      toClient(issuer),
      { refreshToken: 'refresh ghr_first', subject: '7' },
      async () => {},
    );
    await expect(renewal).rejects.toMatchObject({
      reason: 'identity-provider-unavailable',
      message: expect.stringContaining('does not verify (OAUTH_INVALID_RESPONSE)'),
    });
  });

  it('keeps the person when it fails after it issued another refresh token', async () => {
    const body = { access_token: token, token_type: 'bearer', refresh_token: 'ghr_second' };
    const { issuer } = await startScriptedCodehost({
      '/login/oauth/access_token': { body },
      '/api/v3/user/teams': { status: 500 },
    });
    const saved: string[] = [];
    const known = { refreshToken: 'refresh ghr_first', subject: '7' };
    const renewal = providers.renew(toClient(issuer), known, async (next) => void saved.push(next));
    await expect(renewal).rejects.toMatchObject({ reason: 'identity-provider-unavailable' });
    expect(saved).toEqual(['refresh ghr_second']);
  });
});

describe('a GitHub App', () => {
  async function startWithGithubApp(permissions: Record<string, string>) {
    const codehost = await startTestCodehost();
    codehost.savePerson({
      login: 'grace',
      password: 'any',
      emails: [{ email: 'grace@example.com', primary: true, verified: true }],
      teams: Array.from({ length: 120 }, (_, index) => `acme/team-${index}`),
    });
    const { app } = await registerApp(codehost, { permissions, callbackUrls: [redirectUri] });
    const client = toClient(codehost.url.replace('localhost', '127.0.0.1'), {
      clientId: app.client_id,
      clientSecret: app.client_secret,
      organizations: ['ACME'],
    });
    await providers.assertUsable(client);
    const { url, checks } = await providers.startSignIn(client);
    const callback = await signInAtProvider(url, {
      fields: { login: 'grace', password: 'any' },
      callback: redirectUri,
    });
    const finish = async () => await providers.finishSignIn(client, { query: new URL(callback).search, checks });
    return { client, finish };
  }

  it('signs a person in with teams on several pages, and renews with another refresh token each time', async () => {
    const { client, finish } = await startWithGithubApp({ email_addresses: 'read', members: 'read' });
    const identity = await finish();
    expect(identity.groups).toHaveLength(120);
    expect(identity.refreshToken).toMatch(/^refresh ghr_/);
    const known = { subject: identity.subject, refreshToken: identity.refreshToken ?? '' };
    const saved: string[] = [];
    const renew = async () => await providers.renew(client, known, async (next) => void saved.push(next));
    expect(await renew()).toMatchObject({ email: 'grace@example.com' });
    expect(await renew()).toBe('refused');
    expect(saved).toEqual([expect.stringMatching(/^refresh ghr_/)]);
    expect(saved).not.toContain(known.refreshToken);
  });

  it('is refused without the permission to read addresses, with what to do', async () => {
    const { finish } = await startWithGithubApp({ members: 'read' });
    await expect(finish()).rejects.toMatchObject({
      reason: 'identity-not-allowed',
      message: expect.stringContaining('read e-mail addresses'),
    });
  });
});
