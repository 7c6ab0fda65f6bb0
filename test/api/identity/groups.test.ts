import { describe, expect, it } from 'vitest';
import { SecretKind } from '../../../src/kinds/kubernetes.ts';
import { AccessGroupKind, ApiTokenKind, UserKind } from '../../../src/rules/access/kinds.ts';
import { orgNamespace, systemNamespace } from '../../../src/rules/resource.ts';
import { ada, startWithProvider, toCookies } from './sign-in-fixture.ts';

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
  const readWithToken = async (): Promise<number> => {
    const headers = { Authorization: `Bearer ${token}` };
    return (await api.request('/v1/orgs/acme', { role: 'anonymous', headers })).status;
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
