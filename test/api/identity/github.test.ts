import { describe, expect, it } from 'vitest';
import { AccessGroupKind, ApiTokenKind, UserKind } from '../../../src/rules/access/kinds.ts';
import { orgNamespace } from '../../../src/rules/resource.ts';
import { grace, startWithGithub } from './github-fixture.ts';
import { publicUrl, toCallbackUrl } from './sign-in-fixture.ts';

describe('signing in through the code host', () => {
  it('begins at its page with state and PKCE, and ends with a session that has the roles of the teams', async () => {
    const { created, start, authorize, finish, readMe, store, issuer, app } = await startWithGithub();
    expect(created.status, await created.clone().text()).toBe(201);
    await store.create(AccessGroupKind, {
      metadata: { namespace: orgNamespace('acme'), name: 'engineering' },
      spec: {
        name: 'engineering',
        role: 'member',
        members: [],
        providerGroups: [{ provider: 'codehost', group: 'acme/developers' }],
      },
    });
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
    expect(response.status, await response.clone().text()).toBe(303);
    expect(response.headers.get('Location')).toBe(`${publicUrl}/acme`);
    expect(await readMe(response)).toMatchObject({
      email: 'grace@example.com',
      platformAdmin: false,
      orgs: [{ org: 'acme', role: 'member' }],
    });
    const sessions = (await store.list(ApiTokenKind, { fields: { 'spec.use': 'session' } })).items;
    expect(sessions.map(({ spec }) => spec.signInMethod)).toContain('codehost');
    const user = (await store.list(UserKind)).items.find(({ spec }) => spec.email === 'grace@example.com');
    expect(user?.spec.identities).toEqual([{ issuer, subject: expect.stringMatching(/^\d+$/) }]);
    expect(user?.status?.identities?.[0]?.groups).toEqual(['acme/developers', 'other/developers']);
  });
});
void grace;
