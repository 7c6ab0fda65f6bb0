import { expect, it } from 'vitest';
import { AgentRoleKind } from '../../../src/rules/agents/kinds.ts';
import { AccessGroupKind, ApiTokenKind, UserKind } from '../../../src/rules/access/kinds.ts';
import { systemNamespace } from '../../../src/rules/resource.ts';
import { userName } from '../../../src/rules/access/user-name.ts';
import { tokenName } from '../../../api/auth/authenticate.ts';
import { openTestStore } from '../../support/open-test-store.ts';
import type { Store } from '../../../src/store/store.ts';
import { createOrg, startApi } from '../../support/start-api.ts';
import { startWithProvider, toCookies } from '../identity/sign-in-fixture.ts';

const path = '/v1/orgs/acme/agentroles';
type List = { items: { name: string; spec: { responsibilities: string[] }; actions: { allowed: boolean }[] }[] };

async function withRole() {
  const api = await startApi({ role: 'org-admin' });
  const role = await api.store.create(AgentRoleKind, {
    metadata: { namespace: 'org-acme', name: 'writer' },
    spec: { responsibilities: ['Write.'.padEnd(2_000, '!')] },
  });
  const list = async (init = {}): Promise<List> => (await (await api.request(path, init)).json()) as List;
  return { ...api, role, list };
}

it('200: a list contains a change that was made after it was cached', async () => {
  const { store, role, list } = await withRole();
  expect((await list()).items).toHaveLength(1);
  expect(await list()).toEqual(await list());
  await store.replace(AgentRoleKind, { ...role, spec: { responsibilities: ['Read.'] } });
  expect((await list()).items[0]?.spec.responsibilities).toEqual(['Read.']);
  await store.delete(AgentRoleKind, role.metadata);
  expect((await list()).items).toEqual([]);
});

it('200: a cached list has the actions of each caller’s own role', async () => {
  const { list } = await withRole();
  const allowed = async (role: string): Promise<boolean> =>
    (await list({ role })).items.some(({ actions }) => actions.some((action) => action.allowed));
  expect(await allowed('org-admin')).toBe(true);
  expect(await allowed('viewer')).toBe(false);
  expect(await allowed('org-admin')).toBe(true);
});

it('200: a list is compressed when the client accepts gzip', async () => {
  const { request, list } = await withRole();
  const headers = { 'accept-encoding': 'gzip' };
  const plain = await list();
  const compressed = await request(path, { headers });
  expect(compressed.headers.get('content-encoding')).toBe('gzip');
  expect(compressed.headers.get('vary')).toBe('Accept, Accept-Encoding');
  const text = await new Response(compressed.body?.pipeThrough(new DecompressionStream('gzip'))).text();
  expect(JSON.parse(text)).toEqual(plain);
  expect((await request(path)).headers.has('content-encoding')).toBe(false);
});

it('200: a cached response has the default headers', async () => {
  const { request } = await withRole();
  const readHeaders = async (): Promise<object> => {
    const { headers } = await request(path, { headers: { 'x-request-id': 'mine' } });
    return Object.fromEntries([...headers].filter(([name]) => !['content-length', 'ratelimit'].includes(name)));
  };
  expect(await readHeaders()).toEqual(await readHeaders());
  expect(await readHeaders()).toMatchObject({
    'content-type': 'application/json',
    'cache-control': 'private, no-cache',
    'x-content-type-options': 'nosniff',
    'x-request-id': 'mine',
  });
});

it('200: a stream does not get the cached list', async () => {
  const { request } = await withRole();
  const releases = '/v1/orgs/acme/releases';
  for (let at = 0; at < 2; at += 1) expect((await request(releases)).status).toBe(200);
  const response = await request(releases, { headers: { Accept: 'text/event-stream' } });
  expect(response.headers.get('Content-Type')).toBe('text/event-stream');
  await response.body?.cancel();
});

it('401: a revoked token is rejected although the response is cached', async () => {
  const { request, store, tokenFor } = await withRole();
  expect((await request(path)).status).toBe(200);
  const token = (await tokenFor('org-admin')) ?? '';
  await store.delete(ApiTokenKind, { namespace: systemNamespace, name: tokenName(token) });
  expect((await request(path)).status).toBe(401);
});

/** Opens a store that tells the changes of each kind apart, as a cluster does. */
function storeWithRevisionsByKind(): Store {
  const store = openTestStore();
  const changes = new Map<string, number>();
  const countChange = ({ kind }: { kind: string }): void => void changes.set(kind, (changes.get(kind) ?? 0) + 1);
  return {
    ...store,
    revision: ({ kind }) => changes.get(kind) ?? 0,
    create: async (kind, object) => (countChange(kind), await store.create(kind, object)),
    replace: async (kind, object) => (countChange(kind), await store.replace(kind, object)),
    updateStatus: async (kind, ref, update) => (countChange(kind), await store.updateStatus(kind, ref, update)),
    delete: async (kind, ref, options) => (countChange(kind), await store.delete(kind, ref, options)),
  };
}

it('200: a list that was cached for a platform admin is not shown after the person was demoted', async () => {
  const { request, store } = await startApi({ store: storeWithRevisionsByKind() });
  await createOrg(store, 'other');
  const listOrgs = async () =>
    ((await (await request('/v1/orgs')).json()) as { items: { name: string }[] }).items.map(({ name }) => name);
  expect(await listOrgs()).toEqual(['acme', 'other']);
  const name = userName('platform-admin@example.com');
  const user = await store.get(UserKind, { namespace: systemNamespace, name });
  await store.replace(UserKind, { ...user, spec: { ...user.spec, platformAdmin: false } });
  expect(await listOrgs()).toEqual([]);
});

it('200: a list is not shown from the cache after a group at an identity provider stopped giving a role', async () => {
  const api = await startWithProvider({ store: storeWithRevisionsByKind() });
  const providerGroups = [{ provider: 'sso', group: 'developers' }];
  await api.store.create(AccessGroupKind, {
    metadata: { namespace: 'org-acme', name: 'developers' },
    spec: { name: 'developers', role: 'member', members: [], providerGroups },
  });
  const headers = { Cookie: toCookies(await api.signIn('sso', 'ada')) };
  const body = { label: 'laptop' };
  const minted = await api.request('/v1/me/tokens', { method: 'POST', body, role: 'anonymous', headers });
  const { token } = (await minted.json()) as { token: string };
  const call = async (url: string) =>
    await api.request(url, { role: 'anonymous', headers: { Authorization: `Bearer ${token}` } });
  const listOrgs = async () => ((await (await call('/v1/orgs')).json()) as { items: { name: string }[] }).items;
  expect(await listOrgs()).toMatchObject([{ name: 'acme' }]);
  const user = { namespace: systemNamespace, name: userName('ada@example.com') };
  await api.store.updateStatus(UserKind, user, ({ status }) => ({
    ...status,
    identities: status?.identities?.map((identity) => ({ ...identity, groups: [] })),
  }));
  expect((await call('/v1/orgs/acme')).status).toBe(403);
  expect(await listOrgs()).toEqual([]);
  expect((await api.asAdmin('/v1/identity-providers/sso', { method: 'DELETE' })).status).toBe(204);
  expect((await call('/v1/orgs')).status).toBe(401);
});
