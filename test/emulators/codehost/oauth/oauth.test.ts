import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { signInAtProvider } from '../../../support/servers/sign-in-at-provider.ts';
import { createFolder, registerApp, startTestCodehost } from '../codehost-fixture.ts';

const callback = 'http://localhost:1/callback';
const verifier = 'v'.repeat(43);
const challenge = createHash('sha256').update(verifier).digest('base64url');

async function startWithApp() {
  const codehost = await startTestCodehost();
  codehost.savePerson({
    login: 'grace',
    password: 'any',
    emails: [{ email: 'grace@example.com', primary: true, verified: true }],
    teams: Array.from({ length: 3 }, (_, index) => `acme/team-${index}`),
    organizations: ['globex'],
  });
  const credentials = codehost.registerOAuthApp({ name: 'Delivery', callbackUrl: callback });
  const client = { client_id: credentials.clientId, client_secret: credentials.clientSecret };
  const authorize = async (changes: Record<string, string> = {}): Promise<URL> => {
    const query = new URLSearchParams({ client_id: client.client_id, state: 's', redirect_uri: callback, ...changes });
    const url = `${codehost.url}/login/oauth/authorize?${query.toString()}`;
    return new URL(await signInAtProvider(url, { fields: { login: 'grace', password: 'any' }, callback }));
  };
  const getCode = async (changes?: Record<string, string>): Promise<string> =>
    (await authorize(changes)).searchParams.get('code') ?? '';
  const exchange = async (fields: Record<string, string>, accept = 'application/json'): Promise<Response> =>
    await fetch(`${codehost.url}/login/oauth/access_token`, {
      method: 'POST',
      headers: { accept },
      body: new URLSearchParams({ ...client, ...fields }),
    });
  const read = async (path: string, token: string): Promise<Response> =>
    await fetch(`${codehost.apiUrl}${path}`, { headers: { authorization: `Bearer ${token}` } });
  return { codehost, client, authorize, getCode, exchange, read };
}

describe('an OAuth app', () => {
  it('gets a token for a code once, in JSON or as a form, and reads what its scopes allow', async () => {
    const { getCode, exchange, read } = await startWithApp();
    const pkce = { code_challenge: challenge, code_challenge_method: 'S256' };
    const code = await getCode({ scope: 'user:email read:org', ...pkce });
    const response = await exchange({ code, code_verifier: verifier });
    const body = (await response.json()) as Record<string, string>;
    expect(body).toEqual({
      access_token: expect.stringMatching(/^gho_\w{36}$/),
      token_type: 'bearer',
      scope: 'user:email,read:org',
    });
    const token = body['access_token'] ?? '';
    expect(await (await read('/user', token)).json()).toMatchObject({ login: 'grace', id: expect.any(Number) });
    expect(await (await read('/user/emails', token)).json()).toEqual([
      { email: 'grace@example.com', primary: true, verified: true, visibility: 'private' },
    ]);
    expect(await (await read('/user/orgs', token)).json()).toMatchObject([{ login: 'acme' }, { login: 'globex' }]);
    const teams = await read('/user/teams?per_page=2&page=2', token);
    expect(await teams.json()).toMatchObject([{ slug: 'team-2', organization: { login: 'acme' } }]);
    expect(await (await exchange({ code, code_verifier: verifier })).json()).toMatchObject({
      error: 'bad_verification_code',
    });
    const text = await (await exchange({ code: await getCode() }, '*/*')).text();
    const fields = new URLSearchParams(text);
    expect([fields.get('token_type'), fields.get('scope')]).toEqual(['bearer', '']);
    expect((await read('/user/emails', fields.get('access_token') ?? '')).status).toBe(404);
  });

  it('gets an error with the status 200 for what it does wrong', async () => {
    const { getCode, exchange, client } = await startWithApp();
    const failures: [string, Record<string, string>][] = [
      ['incorrect_client_credentials', { code: await getCode(), client_secret: 'wrong' }],
      ['bad_verification_code', { code: 'unknown' }],
      ['bad_verification_code', { code: await getCode({ code_challenge: challenge, code_challenge_method: 'S256' }) }],
      ['redirect_uri_mismatch', { code: await getCode(), redirect_uri: `${callback}/other` }],
      ['bad_refresh_token', { grant_type: 'refresh_token', refresh_token: 'unknown' }],
      ['unsupported_grant_type', { grant_type: 'password' }],
    ];
    for (const [error, fields] of failures) {
      const response = await exchange(fields);
      expect([response.status, await response.json()]).toMatchObject([200, { error }]);
    }
    expect((await exchange({ client_id: `${client.client_id}0` })).status).toBe(404);
  });

  it('gets no code for another address, without the password, or when the person cancels', async () => {
    const { codehost, authorize, client } = await startWithApp();
    const elsewhere = await authorize({ redirect_uri: 'http://localhost:2/' });
    expect(elsewhere.href).toBe(`${callback}?error=redirect_uri_mismatch&state=s`);
    const submit = async (body: Record<string, string>): Promise<Response> =>
      await fetch(`${codehost.url}/login/oauth/authorize?client_id=${client.client_id}`, {
        method: 'POST',
        body: new URLSearchParams(body),
        redirect: 'manual',
      });
    expect((await submit({ decision: 'cancel' })).headers.get('location')).toBe(`${callback}?error=access_denied`);
    expect((await submit({ login: 'grace', password: 'wrong' })).status).toBe(401);
    expect((await submit({ login: 'owner', password: codehost.userToken })).status).toBe(302);
  });

  it('is registered by the owner of the machine, with a callback on it', async () => {
    const { codehost } = await startWithApp();
    const register = async (callbackUrl: string, token?: string): Promise<Response> =>
      await fetch(`${codehost.url}/settings/applications/new`, {
        method: 'POST',
        headers: token === undefined ? {} : { authorization: `Basic ${btoa(`owner:${token}`)}` },
        body: new URLSearchParams({
          'oauth_application[name]': 'Delivery',
          'oauth_application[callback_url]': callbackUrl,
        }),
      });
    expect((await register(callback)).status).toBe(401);
    expect((await register('https://evil.example/', codehost.userToken)).status).toBe(422);
    expect(await (await register(callback, codehost.userToken)).text()).toMatch(/Ov23li\w{14}/);
  });

  it('has no access to private repositories', async () => {
    const { codehost, getCode, exchange, read } = await startWithApp();
    const folder = await createFolder({ 'README.md': 'shop\n' });
    await codehost.seedRepository('acme/open', folder);
    await codehost.seedRepository('acme/secret', folder, { isPrivate: true });
    const body = (await (await exchange({ code: await getCode({ scope: 'repo' }) })).json()) as Record<string, string>;
    const token = body['access_token'] ?? '';
    expect((await read('/repos/acme/open', token)).status).toBe(200);
    expect((await read('/repos/acme/secret', token)).status).toBe(404);
  });
});

describe('a GitHub App', () => {
  it('gets a token that expires, and another for its refresh token, once', async () => {
    const { codehost, getCode, exchange, read } = await startWithApp();
    const { app } = await registerApp(codehost, {
      permissions: { email_addresses: 'read' },
      callbackUrls: [callback],
    });
    const client = { client_id: app.client_id, client_secret: app.client_secret };
    const code = await getCode({ client_id: app.client_id });
    const first = (await (await exchange({ ...client, code })).json()) as Record<string, string>;
    expect(first).toMatchObject({ access_token: expect.stringMatching(/^ghu_/), expires_in: 28_800, scope: '' });
    const refresh = { ...client, grant_type: 'refresh_token', refresh_token: first['refresh_token'] ?? '' };
    const second = (await (await exchange(refresh)).json()) as Record<string, string>;
    expect((await read('/user/emails', second['access_token'] ?? '')).status).toBe(200);
    expect((await read('/user/teams', second['access_token'] ?? '')).status).toBe(403);
    expect(await (await exchange(refresh)).json()).toMatchObject({ error: 'bad_refresh_token' });
  });
});
