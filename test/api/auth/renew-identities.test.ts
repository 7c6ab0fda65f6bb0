import { describe, expect, it } from 'vitest';
import {
  deleteRefreshToken,
  findRefreshToken,
  readRefreshToken,
  saveRefreshToken,
} from '../../../api/auth/refresh-tokens.ts';
import { createIdentityRenewal } from '../../../api/auth/renew-identities.ts';
import type { ApiDeps } from '../../../api/deps.ts';
import { identityProviderRef, saveClientSecret } from '../../../api/identity/identity-provider.ts';
import { ServiceError } from '../../../src/errors.ts';
import type { SignedInIdentity } from '../../../src/integrations/identity/identity-providers.ts';
import { SecretKind } from '../../../src/kinds/kubernetes.ts';
import { IdentityProviderKind } from '../../../src/rules/access/identity-provider.ts';
import { AccessGroupKind, ApiTokenKind, type UserIdentity, UserKind } from '../../../src/rules/access/kinds.ts';
import { orgNamespace, systemNamespace } from '../../../src/rules/resource.ts';
import type { Store } from '../../../src/store/store.ts';
import { openTestStore } from '../../support/open-test-store.ts';
import { ada, startWithProvider, toCookies } from '../identity/sign-in-fixture.ts';

const minute = 60_000;

/** Starts an API where Ada has signed in, and the developers of the provider are members of the org "acme". */
async function startWithGroups() {
  const clock = { now: Date.now() };
  const api = await startWithProvider({ now: () => new Date(clock.now) });
  await api.store.create(AccessGroupKind, {
    metadata: { namespace: orgNamespace('acme'), name: 'engineering' },
    spec: {
      name: 'engineering',
      role: 'member',
      members: [],
      providerGroups: [{ provider: 'sso', group: 'developers' }],
    },
  });
  const cookies = toCookies(await api.signIn('sso', 'ada'));
  const minted = await api.request('/v1/me/tokens', {
    method: 'POST',
    body: { label: 'script' },
    role: 'anonymous',
    headers: { Cookie: cookies },
  });
  const { token } = (await minted.json()) as { token: string };
  /** The status of a request of a member, with an API token of Ada. */
  const readWithToken = async (text = token): Promise<number> => {
    const headers = { Authorization: `Bearer ${text}` };
    return (await api.request('/v1/orgs/acme', { role: 'anonymous', headers })).status;
  };
  const startOrRedeem = async (path: string, form: Record<string, string>): Promise<Record<string, string>> => {
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const body = new URLSearchParams(form).toString();
    return (await (await api.app.request(path, { method: 'POST', headers, body })).json()) as Record<string, string>;
  };
  /** Returns the token of a tool whose sign-in Ada approves. */
  const signInTool = async (): Promise<string> => {
    const { user_code, device_code = '' } = await startOrRedeem('/api/v1/auth/device', { client_id: 'svc' });
    await api.request(`/v1/me/device-sign-ins/${user_code}/approve`, {
      method: 'POST',
      body: {},
      role: 'anonymous',
      headers: { Cookie: cookies },
    });
    const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';
    return (await startOrRedeem('/api/v1/auth/device/token', { grant_type, device_code }))['access_token'] ?? '';
  };
  const readRoles = async (): Promise<unknown> => {
    const response = await api.requestWith('/v1/me', cookies);
    return response.status === 200 ? ((await response.json()) as { orgs: unknown }).orgs : response.status;
  };
  const countRenewals = () => api.provider.requests.filter((request) => request === 'POST /token').length - 1;
  const setGroups = (...groups: string[]) => void (api.provider.accounts['ada'] = { ...ada, groups });
  return {
    ...api,
    cookies,
    readRoles,
    readWithToken,
    signInTool,
    countRenewals,
    setGroups,
    travel: (ms: number) => void (clock.now += ms),
  };
}
const member = [{ org: 'acme', role: 'member' }];

describe('a group at an identity provider', () => {
  it('gives its people the role of an access group', async () => {
    const { readRoles, requestWith, cookies } = await startWithGroups();
    expect(await readRoles()).toEqual(member);
    expect((await requestWith('/v1/orgs/acme', cookies)).status).toBe(200);
    expect(await (await requestWith('/v1/access/access-groups', cookies)).json()).toEqual({
      items: [{ accessGroup: 'engineering', org: 'acme', role: 'member' }],
    });
    expect(await (await requestWith('/v1/orgs/acme/access-groups/status', cookies)).json()).toMatchObject({
      accessGroups: [
        {
          name: 'engineering',
          members: [],
          providerGroups: [{ provider: 'sso', group: 'developers', people: ['ada@example.com'] }],
        },
      ],
    });
  });

  it('takes the role away within five minutes after the person has left it, and gives it back', async () => {
    const { readRoles, countRenewals, setGroups, travel, requestWith, cookies } = await startWithGroups();
    setGroups();
    travel(5 * minute - 1000);
    expect([await readRoles(), countRenewals()]).toEqual([member, 0]);
    travel(1000);
    expect([await readRoles(), countRenewals()]).toEqual([[], 1]);
    expect((await requestWith('/v1/orgs/acme', cookies)).status).toBe(403);
    setGroups('developers', 'others');
    travel(5 * minute);
    expect([await readRoles(), countRenewals()]).toEqual([member, 2]);
  });

  it('asks the provider once for requests at the same time, which all wait for its answer', async () => {
    const { readRoles, countRenewals, setGroups, travel } = await startWithGroups();
    setGroups();
    travel(6 * minute);
    expect(await Promise.all(Array.from({ length: 8 }, readRoles))).toEqual(Array.from({ length: 8 }, () => []));
    expect(countRenewals()).toBe(1);
  });

  it('takes the role away from the API tokens of the person too', async () => {
    const { readWithToken, setGroups, travel } = await startWithGroups();
    expect(await readWithToken()).toBe(200);
    setGroups('others');
    travel(5 * minute);
    expect(await readWithToken()).toBe(403);
  });

  it('ends the sessions of a person whom the provider no longer lets in', async () => {
    const { readRoles, provider, travel, store, signIn, requestWith } = await startWithGroups();
    await provider.revokeGrants();
    travel(5 * minute);
    expect(await readRoles()).toBe(401);
    const sessions = (await store.list(ApiTokenKind)).items.filter(({ spec }) => spec.signInMethod === 'oidc');
    expect(sessions).toEqual([]);
    const users = (await store.list(UserKind)).items.filter(({ spec }) => spec.email === 'ada@example.com');
    expect(users[0]?.status?.identities).toEqual([]);
    const again = toCookies(await signIn('sso', 'ada'));
    expect(await (await requestWith('/v1/me', again)).json()).toMatchObject({ orgs: member });
  });

  it('accepts no token of a person whom the provider no longer lets in, until the person signs in there again', async () => {
    const { readWithToken, signInTool, provider, travel, signIn } = await startWithGroups();
    const toolToken = await signInTool();
    const read = async () => [await readWithToken(), await readWithToken(toolToken)];
    expect(await read()).toEqual([200, 200]);
    await provider.revokeGrants();
    travel(5 * minute);
    expect(await read()).toEqual([401, 401]);
    await signIn('sso', 'ada');
    expect(await read()).toEqual([200, 200]);
  });

  it('keeps the role while the provider is away, and asks it again after a minute', async () => {
    const { readRoles, countRenewals, provider, travel } = await startWithGroups();
    provider.stop();
    travel(5 * minute);
    expect(await readRoles()).toEqual(member);
    provider.start();
    travel(minute - 1);
    expect([await readRoles(), countRenewals()]).toEqual([member, 0]);
    travel(1);
    expect([await readRoles(), countRenewals()]).toEqual([member, 1]);
  });

  it('keeps the session when the provider fails after it issued another refresh token', async () => {
    const { readRoles, countRenewals, provider, travel } = await startWithGroups();
    provider.stop('/me');
    travel(5 * minute);
    expect([await readRoles(), countRenewals()]).toEqual([member, 1]);
    provider.start();
    travel(minute);
    expect([await readRoles(), countRenewals()]).toEqual([member, 2]);
  });

  it('loses the role twelve hours after the last answer of the provider', async () => {
    const { readWithToken, provider, travel } = await startWithGroups();
    provider.stop();
    travel(12 * 60 * minute - 1);
    expect(await readWithToken()).toBe(200);
    travel(1);
    expect(await readWithToken()).toBe(403);
    provider.start();
    travel(minute);
    expect(await readWithToken()).toBe(200);
  });

  it('gives no role when another provider names it', async () => {
    const { asAdmin, addProvider, provider, readRoles, requestWith, signIn } = await startWithGroups();
    expect(await readRoles()).toEqual(member);
    expect((await asAdmin('/v1/identity-providers/sso', { method: 'DELETE' })).status).toBe(204);
    await addProvider('sso', provider.issuer, { groupsClaim: 'teams' });
    const cookies = toCookies(await signIn('sso', 'ada'));
    expect(await (await requestWith('/v1/me', cookies)).json()).toMatchObject({ orgs: [] });
  });

  it('keeps the refresh token in a Secret that the user owns, and in no other object', async () => {
    const { store, request, travel, readRoles } = await startWithGroups();
    const find = async () =>
      (await store.list(SecretKind, { namespace: systemNamespace })).items.find(({ metadata }) =>
        metadata.name.startsWith('refresh-token-'),
      );
    const before = await find();
    const token = Buffer.from(before?.data?.['refresh-token'] ?? '', 'base64').toString();
    expect(token.length).toBeGreaterThan(20);
    const others = JSON.stringify([await store.list(UserKind), await store.list(ApiTokenKind)]);
    expect(others).not.toContain(token);
    travel(5 * minute);
    expect(await readRoles()).toEqual(member);
    expect((await find())?.data).not.toEqual(before?.data);
    const users = (await (await request('/v1/access/users')).json()) as { items: { name: string; email: string }[] };
    const user = users.items.find(({ email }) => email === 'ada@example.com');
    expect((await request(`/v1/access/users/${user?.name}`, { method: 'DELETE' })).status).toBe(204);
    expect([await find(), await readRoles()]).toEqual([undefined, 401]);
  });
});

describe('createIdentityRenewal', () => {
  const start = Date.parse('2027-01-01T00:00:00Z');
  const at = (ms: number): string => new Date(start + ms).toISOString();
  type Answer = Partial<Omit<SignedInIdentity, 'groups'>> & { groups?: string[] | undefined };
  type Reply = Answer | 'refused' | Error;
  type Save = (refreshToken: string) => Promise<void>;

  /** Keeps a user with an identity at each provider, which answers as the test says. */
  async function startRenewal(answer: Reply | (() => Promise<Reply>), providers = ['sso']) {
    const store = openTestStore();
    const clock = { ms: 5 * minute };
    const now = () => new Date(start + clock.ms);
    const asked: unknown[] = [];
    const warnings: unknown[] = [];
    const identityProviders = {
      renew: async (client: { clientSecret: string | undefined }, known: object, save: Save) => {
        asked.push({ ...known, clientSecret: client.clientSecret });
        const given = typeof answer === 'function' ? await answer() : answer;
        if (given instanceof Error) throw given;
        if (given === 'refused') return given;
        const { refreshToken, ...claims } = given;
        if (refreshToken !== undefined) await save(refreshToken);
        return { subject: 'ada', email: undefined, emailVerified: false, groups: [], ...claims };
      },
    } as unknown as ApiDeps['identityProviders'];
    const { metadata } = await store.create(UserKind, {
      metadata: { namespace: systemNamespace, name: 'ada' },
      spec: {
        email: 'ada@example.com',
        platformAdmin: false,
        identities: providers.map((name) => ({ issuer: `https://${name}.example.com`, subject: `ada at ${name}` })),
      },
    });
    const identities: UserIdentity[] = [];
    for (const name of providers) {
      const provider = await store.create(IdentityProviderKind, {
        metadata: identityProviderRef(name),
        spec: { label: name, issuer: `https://${name}.example.com`, clientId: 'delivery' },
      });
      await saveClientSecret(store, provider, 'the secret');
      const { uid } = provider.metadata;
      identities.push({ provider: name, providerUid: uid, groups: ['old'], renewable: true, checkedAt: at(0) });
    }
    const user = await store.updateStatus(UserKind, metadata, () => ({ identities, conditions: [] }));
    for (const provider of providers) await saveRefreshToken(store, { user, provider }, 'first');
    const log = { warn: (fields: unknown) => void warnings.push(fields) } as unknown as ApiDeps['log'];
    const config = { publicUrl: 'http://localhost:8080' } as ApiDeps['config'];
    const exactReads: string[] = [];
    const find: Store['find'] = async (kind, ref, options) => {
      if (options?.consistency !== 'cached') exactReads.push(kind.kind);
      return await store.find(kind, ref, options);
    };
    const deps = { store: { ...store, find }, identityProviders, config, now, log };
    const createRenewal = () => createIdentityRenewal(deps);
    const readUser = async () => await store.get(UserKind, metadata);
    const readIdentities = async () => (await readUser()).status?.identities ?? [];
    const readToken = async (provider = 'sso') => readRefreshToken(await findRefreshToken(store, { user, provider }));
    const reading = { readUser, readIdentities, readToken, exactReads };
    return { store, clock, asked, warnings, user, identities, createRenewal, ...reading };
  }

  const toGroups = ({ groups }: { groups: { group: string }[] }) => groups.map(({ group }) => group);

  it('asks with the token and the subject of the provider, and saves what it answers', async () => {
    const { createRenewal, user, asked, readIdentities, readToken, identities } = await startRenewal({
      groups: ['new'],
      refreshToken: 'second',
    });
    const known = await createRenewal()(user);
    expect(toGroups(known)).toEqual(['new']);
    expect([...known.providers]).toEqual([identities[0]?.providerUid]);
    expect(asked).toEqual([{ refreshToken: 'first', subject: 'ada at sso', clientSecret: 'the secret' }]);
    expect(await readIdentities()).toEqual([
      { ...identities[0], groups: ['new'], checkedAt: at(5 * minute), attemptedAt: at(5 * minute) },
    ]);
    expect(await readToken()).toBe('second');
  });

  it('keeps the token when the provider issues no other', async () => {
    const { createRenewal, user, readToken } = await startRenewal({ groups: ['new'] });
    await createRenewal()(user);
    expect(await readToken()).toBe('first');
  });

  it('asks only the provider whose answer is old, and changes only that identity', async () => {
    const { store, createRenewal, user, asked, readIdentities } = await startRenewal({ groups: ['new'] }, [
      'sso',
      'hub',
    ]);
    const changed = await store.updateStatus(UserKind, user.metadata, ({ status }) => ({
      ...status,
      conditions: [],
      identities: (status?.identities ?? []).map((one) =>
        one.provider === 'sso' ? { ...one, checkedAt: at(1) } : one,
      ),
    }));
    expect(toGroups(await createRenewal()(changed))).toEqual(['old', 'new']);
    expect(asked).toMatchObject([{ subject: 'ada at hub' }]);
    expect((await readIdentities()).map(({ groups }) => groups)).toEqual([['old'], ['new']]);
  });

  it('asks once for two replicas, and again for a later request', async () => {
    const { createRenewal, user, asked, clock, readUser } = await startRenewal({ groups: ['new'] });
    const [one, other] = [createRenewal(), createRenewal()];
    await Promise.all([one(user), other(user), one(user)]);
    expect(asked).toHaveLength(1);
    clock.ms = 10 * minute;
    await one(await readUser());
    expect(asked).toHaveLength(2);
  });

  it('keeps the groups when the provider is away, and says so without the token', async () => {
    const { createRenewal, user, warnings } = await startRenewal(
      new ServiceError('identity-provider-unavailable', 'It is away.'),
    );
    expect(toGroups(await createRenewal()(user))).toEqual(['old']);
    expect(warnings).toEqual([{ error: 'It is away.', provider: 'sso' }]);
  });

  it('keeps groups that an answer does not name until they expire, and asks again after a minute', async () => {
    const { createRenewal, user, asked, clock, warnings, readUser } = await startRenewal({ groups: undefined });
    const renew = createRenewal();
    expect(toGroups(await renew(user))).toEqual(['old']);
    expect(warnings).toEqual([{ provider: 'sso' }]);
    clock.ms += minute;
    await renew(await readUser());
    expect(asked).toHaveLength(2);
    clock.ms = 12 * 60 * minute;
    expect(toGroups(await renew(await readUser()))).toEqual([]);
  });

  it('takes an answer that names no groups of a person without any', async () => {
    const { store, createRenewal, user, readIdentities, warnings } = await startRenewal({ groups: undefined });
    const withoutGroups = await store.updateStatus(UserKind, user.metadata, ({ status }) => ({
      ...status,
      identities: (status?.identities ?? []).map((one) => ({ ...one, groups: [] })),
    }));
    expect(toGroups(await createRenewal()(withoutGroups))).toEqual([]);
    expect(await readIdentities()).toMatchObject([{ groups: [], checkedAt: at(5 * minute) }]);
    expect(warnings).toEqual([]);
  });

  it('throws other errors, and asks again afterwards', async () => {
    const { createRenewal, user, asked, clock } = await startRenewal(new Error('broken'));
    const renew = createRenewal();
    await expect(renew(user)).rejects.toThrow('broken');
    clock.ms += minute;
    await expect(renew(user)).rejects.toThrow('broken');
    expect(asked).toHaveLength(2);
  });

  it('ends the sessions of a refused identity, and no others', async () => {
    const { store, createRenewal, user, identities, readIdentities, readToken } = await startRenewal('refused', [
      'sso',
      'hub',
    ]);
    const [sso, hub] = identities;
    await store.updateStatus(UserKind, user.metadata, ({ status }) => ({
      ...status,
      conditions: [],
      identities: (status?.identities ?? []).map((one) =>
        one.provider === 'hub' ? { ...one, checkedAt: at(1) } : one,
      ),
    }));
    for (const [name, identityProvider] of [
      ['of-sso', { name: 'sso', uid: sso?.providerUid ?? '' }],
      ['of-hub', { name: 'hub', uid: hub?.providerUid ?? '' }],
      ['of-password', undefined],
    ] as const)
      await store.create(ApiTokenKind, {
        metadata: { namespace: systemNamespace, name },
        spec: {
          use: 'session',
          user: 'ada',
          userUid: user.metadata.uid,
          label: 'Browser',
          signInMethod: identityProvider ? 'oidc' : 'password',
          ...(identityProvider && { identityProvider }),
          expiresAt: at(60 * minute),
        },
      });
    const known = await createRenewal()(await store.get(UserKind, user.metadata));
    expect([...known.providers]).toEqual([hub?.providerUid]);
    expect((await readIdentities()).map(({ provider }) => provider)).toEqual(['hub']);
    expect([await readToken('sso'), await readToken('hub')]).toEqual([undefined, 'first']);
    const { items } = await store.list(ApiTokenKind);
    expect(items.map(({ metadata }) => metadata.name).toSorted()).toEqual(['of-hub', 'of-password']);
  });

  it.each([
    ['the setting', ['corp.example'], {}],
    ['the address at the provider', ['example.com'], { email: 'ada@elsewhere.example' }],
  ])('refuses a person whose domain is no longer allowed after a change of %s', async (_, emailDomains, claims) => {
    const { store, createRenewal, user, readIdentities } = await startRenewal({ groups: ['new'], ...claims });
    const provider = await store.get(IdentityProviderKind, identityProviderRef('sso'));
    await store.replace(IdentityProviderKind, { ...provider, spec: { ...provider.spec, emailDomains } });
    const known = await createRenewal()(user);
    expect([toGroups(known), known.providers.size, await readIdentities()]).toEqual([[], 0, []]);
  });

  it('keeps a person whose domain is allowed, also under another address', async () => {
    const { store, createRenewal, user } = await startRenewal({ groups: ['new'], email: 'ada@corp.example' });
    const provider = await store.get(IdentityProviderKind, identityProviderRef('sso'));
    await store.replace(IdentityProviderKind, {
      ...provider,
      spec: { ...provider.spec, emailDomains: ['corp.example'] },
    });
    expect(toGroups(await createRenewal()(user))).toEqual(['new']);
  });

  it('keeps what a person who signed in again meanwhile has', async () => {
    const { store, createRenewal, user, readIdentities, readToken } = await startRenewal(async () => {
      await store.updateStatus(UserKind, user.metadata, ({ status }) => ({
        ...status,
        conditions: [],
        identities: (status?.identities ?? []).map((one) => ({ ...one, checkedAt: at(5 * minute) })),
      }));
      return 'refused';
    });
    expect(toGroups(await createRenewal()(user))).toEqual(['old']);
    expect(await readIdentities()).toHaveLength(1);
    expect(await readToken()).toBe('first');
  });

  it.each([undefined, 'second'])(
    'keeps the token of a sign-in that is not recorded yet, also when the provider had issued %s',
    async (issued) => {
      const { store, createRenewal, user, readToken } = await startRenewal(async () => {
        await saveRefreshToken(store, { user, provider: 'sso' }, 'of the sign-in');
        return issued === undefined ? 'refused' : { refreshToken: issued, email: 'ada@elsewhere.example' };
      });
      const provider = await store.get(IdentityProviderKind, identityProviderRef('sso'));
      const spec = { ...provider.spec, emailDomains: ['example.com'] };
      await store.replace(IdentityProviderKind, { ...provider, spec });
      await createRenewal()(user);
      expect(await readToken()).toBe('of the sign-in');
    },
  );

  it('deletes the token that the provider issued with its last answer', async () => {
    const { store, createRenewal, user, readToken } = await startRenewal({
      refreshToken: 'second',
      email: 'ada@elsewhere.example',
    });
    const provider = await store.get(IdentityProviderKind, identityProviderRef('sso'));
    const spec = { ...provider.spec, emailDomains: ['example.com'] };
    await store.replace(IdentityProviderKind, { ...provider, spec });
    await createRenewal()(user);
    expect(await readToken()).toBeUndefined();
  });

  it.each<[string, (world: Awaited<ReturnType<typeof startRenewal>>) => Promise<unknown>]>([
    ['the token', async ({ store, user }) => await deleteRefreshToken(store, { user, provider: 'sso' })],
    [
      'the subject',
      async ({ store, user }) => await store.replace(UserKind, { ...user, spec: { ...user.spec, identities: [] } }),
    ],
  ])('refuses an identity without %s, and asks nothing', async (_, remove) => {
    const world = await startRenewal({ groups: ['new'] });
    await remove(world);
    const { asked, createRenewal, readUser, readIdentities } = world;
    expect(toGroups(await createRenewal()(await readUser()))).toEqual([]);
    expect(await readIdentities()).toEqual([]);
    expect(asked).toEqual([]);
  });

  it('asks nothing when another provider has the name, and gives none of its groups', async () => {
    const { store, createRenewal, user, asked, readIdentities, exactReads } = await startRenewal({ groups: ['new'] });
    await store.delete(IdentityProviderKind, identityProviderRef('sso'));
    await store.create(IdentityProviderKind, {
      metadata: identityProviderRef('sso'),
      spec: { label: 'sso', issuer: 'https://sso.example.com', clientId: 'delivery' },
    });
    const known = await createRenewal()(user);
    expect([toGroups(known), [...known.providers], asked]).toEqual([[], [], []]);
    expect((await readIdentities())[0]).not.toHaveProperty('attemptedAt');
    // The identity stays due, so every request of the person would read more than the cache.
    expect(exactReads).toEqual([]);
  });

  it('knows nothing of a user without identities', async () => {
    const { createRenewal, user, asked } = await startRenewal({ groups: ['new'] });
    const { status: _status, ...stranger } = user;
    const known = await createRenewal()(stranger);
    expect([toGroups(known), known.providers.size, asked]).toEqual([[], 0, []]);
  });
});
