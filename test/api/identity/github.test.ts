import { describe, expect, it } from 'vitest';
import { SecretKind } from '../../../src/kinds/kubernetes.ts';
import { AccessGroupKind, ApiTokenKind, UserKind } from '../../../src/rules/access/kinds.ts';
import { orgNamespace } from '../../../src/rules/resource.ts';
import { makePlatformAdmin } from '../../clients/ui/settings-fixture.ts';
import { operationCredentials } from '../operation-roles.ts';
import { grace, primary, startWithoutProvider, startWithGithub } from './github-fixture.ts';
import { admin, publicUrl, toCallbackUrl, toCookies } from './sign-in-fixture.ts';

const minute = 60_000;
const engineering = {
  metadata: { namespace: orgNamespace('acme'), name: 'engineering' },
  spec: {
    name: 'engineering',
    role: 'member' as const,
    members: [],
    providerGroups: [{ provider: 'codehost', group: 'acme/developers' }],
  },
};
const member = [{ org: 'acme', role: 'member' }];

describe('a sign-in through the code host', () => {
  it('begins at its page with state and PKCE, and ends with the roles of the teams', async () => {
    const { start, authorize, finish, readMe, store, issuer, app } = await startWithGithub();
    await store.create(AccessGroupKind, engineering);
    const { url, cookies } = await start('codehost', '/acme');
    expect(url.startsWith(`${issuer}/login/oauth/authorize?`)).toBe(true);
    expect(Object.fromEntries(new URL(url).searchParams)).toEqual({
      response_type: 'code',
      client_id: app.clientId,
      redirect_uri: toCallbackUrl('codehost'),
      scope: 'user:email read:org',
      state: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    const response = await finish(await authorize(url), cookies);
    expect(response.headers.get('Location'), await response.clone().text()).toBe(`${publicUrl}/acme`);
    expect(await readMe(response)).toMatchObject({ email: 'grace@example.com', platformAdmin: false, orgs: member });
    const user = (await store.list(UserKind)).items.find(({ spec }) => spec.email === 'grace@example.com');
    expect(user?.spec.identities).toEqual([{ issuer, subject: expect.stringMatching(/^\d+$/) }]);
    expect(user?.status?.identities?.[0]?.groups).toEqual(['acme/developers', 'other/developers']);
  });

  it('finds the person again under another address, and keeps the token in a Secret only', async () => {
    const { signIn, codehost, store } = await startWithGithub();
    await signIn();
    codehost.savePerson({ ...grace, emails: [primary('grace.hopper@example.com')] });
    expect((await signIn()).status).toBe(303);
    const users = (await store.list(UserKind)).items;
    expect(users.filter(({ spec }) => spec.email.startsWith('grace'))).toHaveLength(1);
    const secret = (await store.list(SecretKind)).items.find(({ metadata }) =>
      metadata.name.startsWith('refresh-token'),
    );
    const token = /gho_\w+/.exec(Buffer.from(secret?.data?.['refresh-token'] ?? '', 'base64').toString())?.[0];
    expect(token).toBeDefined();
    expect(JSON.stringify([users, await store.list(ApiTokenKind)])).not.toContain(token);
  });

  it.each([
    ['whose primary address is not verified', { emails: [primary('new@example.com', false)] }, 'not verified'],
    [
      'with another verified address only',
      { emails: [{ ...primary('new@example.com'), primary: false }] },
      'not verified',
    ],
    ['of another domain', { emails: [primary('new@elsewhere.example')] }, 'may not sign in'],
    ['outside the organizations', { teams: ['other/developers'] }, 'does not list you as a member of acme'],
  ])('403: refuses a person %s', async (_, change, detail) => {
    const { signIn, codehost } = await startWithGithub({
      spec: { emailDomains: ['example.com'], organizations: ['acme'] },
    });
    codehost.savePerson({ ...grace, ...change });
    const response = await signIn();
    expect(await response.json()).toMatchObject({
      status: 403,
      reason: 'identity-not-allowed',
      detail: expect.stringContaining(detail),
    });
    expect(toCookies(response)).toBe('');
  });

  it('403: does not link the address of a user who has a password', async () => {
    const { signIn, codehost } = await startWithGithub();
    codehost.savePerson({ ...grace, emails: [primary(admin.email)] });
    expect(await (await signIn()).json()).toMatchObject({ status: 403, reason: 'identity-not-linked' });
  });

  it('401: refuses a code that was used, or belongs to another browser or another app', async () => {
    const { start, finish, authorize, codehost } = await startWithGithub();
    const { url, cookies } = await start('codehost');
    const callbackUrl = await authorize(url);
    const other = await start('codehost');
    expect((await finish(callbackUrl, other.cookies)).status).toBe(401);
    expect((await finish(callbackUrl, cookies)).status).toBe(303);
    expect(await (await finish(callbackUrl, cookies)).json()).toMatchObject({
      reason: 'sign-in-rejected',
      detail: expect.stringContaining('(bad_verification_code)'),
    });
    const hostile = codehost.registerOAuthApp({ name: 'Hostile', callbackUrl: toCallbackUrl('codehost') });
    const lured = new URL(other.url);
    lured.searchParams.set('client_id', hostile.clientId);
    expect((await finish(await authorize(lured.href), other.cookies)).status).toBe(401);
  });

  it('401: refuses a code that was issued for another PKCE verifier', async () => {
    const { start, finish, authorize } = await startWithGithub();
    const [one, other] = [await start('codehost'), await start('codehost')];
    const lured = new URL(one.url);
    lured.searchParams.set('code_challenge', new URL(other.url).searchParams.get('code_challenge') ?? '');
    expect((await finish(await authorize(lured.href), one.cookies)).status).toBe(401);
  });

  it('ends with the session when the person leaves the organization, and loses the role with the team', async () => {
    const clock = { now: Date.now() };
    const { signIn, readMe, codehost, store } = await startWithGithub({
      now: () => new Date(clock.now),
      spec: { organizations: ['acme'] },
    });
    await store.create(AccessGroupKind, engineering);
    const signedIn = await signIn();
    expect(await readMe(signedIn)).toMatchObject({ orgs: member });
    codehost.savePerson({ ...grace, teams: ['acme/others'] });
    clock.now += 5 * minute;
    expect(await readMe(signedIn)).toMatchObject({ orgs: [] });
    codehost.savePerson({ ...grace, teams: [] });
    clock.now += 5 * minute;
    expect(await readMe(signedIn)).toBe(401);
    codehost.savePerson(grace);
    const again = await signIn();
    codehost.revokeGrants('grace');
    clock.now += 5 * minute;
    expect(await readMe(again)).toBe(401);
  });

  it('403: does not let a platform admin change what demands a password, and says so', async () => {
    const { signIn, store, request } = await startWithGithub();
    const signedIn = await signIn();
    await makePlatformAdmin(store, 'grace@example.com');
    const Cookie = toCookies(signedIn);
    const document = (await (await request('/openapi.json')).json()) as {
      paths: Record<string, Record<string, { operationId: string; 'x-credential'?: string }>>;
    };
    const guarded = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, operation]) =>
        operation['x-credential'] === 'password-session' ? [{ path, method, name: operation.operationId }] : [],
      ),
    );
    expect(guarded.map(({ name }) => name).toSorted()).toEqual(operationCredentials['password-session']);
    for (const { path, method, name } of guarded) {
      const response = await request(path.replaceAll(/\{\w+\}/g, 'x'), {
        method,
        role: 'anonymous',
        headers: { Cookie },
      });
      expect(await response.json(), name).toMatchObject({
        status: 403,
        reason: 'password-session-required',
        detail: expect.stringContaining('began at the code host'),
      });
    }
    expect((await request('/v1/identity-providers', { role: 'anonymous', headers: { Cookie } })).status).toBe(200);
  });
});

describe('the code host as an identity provider', () => {
  it('is saved only with credentials that it accepts, and the fields of its type', async () => {
    const { create, toBody, app } = await startWithoutProvider();
    const read = async (body: object) => {
      const { status, errors } = (await (await create(body)).json()) as {
        status: number;
        errors: { pointer: string }[];
      };
      return [status, errors.map(({ pointer }) => pointer)];
    };
    const { clientSecret: _, ...withoutSecret } = toBody();
    expect(await read(toBody({ ...app, clientSecret: 'wrong' }))).toEqual([422, ['/clientSecret']]);
    expect(await read(withoutSecret)).toEqual([422, ['/clientSecret']]);
    expect(await read(toBody({ ...app, clientId: 'unknown' }))).toEqual([422, ['/spec/clientId']]);
    expect(await read(toBody(app, { issuer: 'https://github.com/' }))).toEqual([422, ['/spec/issuer']]);
    expect(await read(toBody(app, { issuer: 'https://169.254.169.254' }))).toEqual([422, ['/spec/issuer']]);
    expect(await read(toBody(app, { scopes: ['repo'], groupsClaim: 'teams' }))).toEqual([
      422,
      ['/spec/scopes', '/spec/groupsClaim'],
    ]);
    expect(await read(toBody(app, { type: 'openid', organizations: ['acme'] }))).toEqual([
      422,
      ['/spec/organizations'],
    ]);
    expect((await create(toBody())).status).toBe(201);
  });

  it('does not become a provider of another type', async () => {
    const { asAdmin, toBody } = await startWithGithub();
    const path = '/v1/identity-providers/codehost';
    const { resourceVersion } = (await (await asAdmin(path)).json()) as { resourceVersion: string };
    const { spec } = toBody(undefined, { type: 'openid' });
    const response = await asAdmin(path, { method: 'PUT', body: { spec, resourceVersion } });
    expect(await response.json()).toMatchObject({ status: 422, errors: [{ pointer: '/spec/type' }] });
  });
});
