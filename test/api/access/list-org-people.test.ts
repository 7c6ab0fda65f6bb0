import { describe, expect, it } from 'vitest';
import { IdentityProviderKind } from '../../../src/rules/access/identity-provider.ts';
import { AccessGroupKind, type AccessGroupSpec, UserKind } from '../../../src/rules/access/kinds.ts';
import { withAcceptedCondition } from '../../../src/rules/conditions.ts';
import { userName } from '../../../src/rules/access/user-name.ts';
import { orgNamespace, systemNamespace } from '../../../src/rules/resource.ts';
import type { Store } from '../../../src/store/store.ts';
import { addIdentityProvider } from '../../clients/ui/settings-fixture.ts';
import { type ApiHarness, createOrg, startApi } from '../../support/start-api.ts';

const path = '/v1/access/orgs/acme/people';
const hourMs = 60 * 60_000;
type Person = { email: string; role: string; platformAdmin: boolean; reasons: unknown[] };
type People = { items: Person[]; counts: Record<string, number>; continue?: string };

async function addGroup(store: Store, name: string, spec: Partial<AccessGroupSpec>, org = 'acme'): Promise<void> {
  const metadata = { namespace: orgNamespace(org), name };
  await store.create(AccessGroupKind, { metadata, spec: { name, role: 'member', members: [], ...spec } });
}

/** Creates a user whose groups a provider named some hours ago. */
async function signIn(store: Store, email: string, hours: number, providerUid: string): Promise<void> {
  const metadata = { namespace: systemNamespace, name: userName(email) };
  await store.create(UserKind, { metadata, spec: { email, platformAdmin: false } });
  const checkedAt = new Date(Date.now() - hours * hourMs).toISOString();
  const identity = { provider: 'sso', providerUid, groups: ['developers'], renewable: true, checkedAt };
  await store.updateStatus(UserKind, metadata, () => ({ identities: [identity] }));
}

const list = async ({ request }: ApiHarness, query = '', role: 'viewer' | 'org-admin' = 'org-admin') => {
  const response = await request(`${path}${query}`, { role });
  expect(response.status, await response.clone().text()).toBe(200);
  return (await response.json()) as People;
};
const emails = ({ items }: People): string[] => items.map(({ email }) => email);

describe('listOrgPeople', () => {
  it('200: says which role each person has, and every reason, in pages', async () => {
    const api = await startApi();
    const { store } = api;
    await api.tokenFor('viewer');
    await addGroup(store, 'leads', { role: 'org-admin', members: ['Ada@example.com'] });
    await addGroup(store, 'team', { members: ['ada@example.com', 'ben@example.com'] });
    await addGroup(store, 'strangers', { members: ['eve@example.com'] }, 'other');
    const admin = await api.request('/v1/me');
    expect(admin.status).toBe(200);
    const { items, counts } = await list(api);
    expect(items).toEqual([
      {
        email: 'ada@example.com',
        role: 'org-admin',
        platformAdmin: false,
        reasons: [
          { accessGroup: 'leads', role: 'org-admin' },
          { accessGroup: 'team', role: 'member' },
        ],
      },
      expect.objectContaining({ email: 'ben@example.com', role: 'member' }),
      expect.objectContaining({ email: 'org-admin@example.com', user: userName('org-admin@example.com') }),
      expect.objectContaining({ email: 'platform-admin@example.com', platformAdmin: true, reasons: [] }),
      expect.objectContaining({ email: 'viewer@example.com', role: 'viewer' }),
    ]);
    expect(counts).toEqual({ viewer: 1, member: 1, 'org-admin': 3 });
    const first = await list(api, '?limit=2');
    expect([emails(first), first.counts]).toEqual([emails({ items, counts }).slice(0, 2), counts]);
    const second = await list(api, `?limit=4&continue=${first.continue}`);
    expect([emails(second), second.continue]).toEqual([emails({ items, counts }).slice(2), undefined]);
  });

  it('200: finds one person, those with a role, and those who may call an operation', async () => {
    const api = await startApi();
    await addGroup(api.store, 'leads', { role: 'org-admin', members: ['ada@example.com'] });
    await addGroup(api.store, 'team', { members: ['ben@example.com'] });
    await addGroup(api.store, 'readers', { role: 'viewer', members: ['cy@example.com'] });
    const viewer = 'viewer@example.com';
    expect(emails(await list(api, '?person=BEN@example.com', 'viewer'))).toEqual(['ben@example.com']);
    expect((await list(api, '?person=eve@example.com', 'viewer')).items).toEqual([]);
    expect(emails(await list(api, '?role=viewer', 'viewer')).slice(0, 3)).toEqual([
      'ada@example.com',
      'ben@example.com',
      'cy@example.com',
    ]);
    expect(emails(await list(api, '?operation=listProducts', 'viewer'))).toContain(viewer);
    expect(emails(await list(api, '?operation=approvePromotion', 'viewer'))).toEqual([
      'ada@example.com',
      'ben@example.com',
    ]);
    const refused = { freeze: 'is not the operationId', getMe: 'requires no role' };
    for (const [operation, detail] of Object.entries(refused)) {
      const response = await api.request(`${path}?operation=${operation}`, { role: 'viewer' });
      const error = { pointer: '?operation', detail: expect.stringContaining(detail) };
      expect(await response.json()).toMatchObject({ status: 422, errors: [error] });
    }
  });

  it('200: counts a group at a provider only while the provider vouches for it', async () => {
    const api = await startApi();
    const { store } = api;
    const providerGroup = { provider: 'sso', group: 'developers' };
    await addGroup(store, 'engineering', { providerGroups: [providerGroup] });
    const uid = await addIdentityProvider(store);
    await signIn(store, 'ada@example.com', 1, uid);
    await signIn(store, 'ben@example.com', 13, uid);
    await signIn(store, 'cy@example.com', 1, 'uid-of-a-provider-that-was-removed');
    const { items } = await list(api, '?role=member', 'viewer');
    expect(items).toEqual([
      {
        email: 'ada@example.com',
        user: userName('ada@example.com'),
        role: 'member',
        platformAdmin: false,
        reasons: [{ accessGroup: 'engineering', role: 'member', providerGroup }],
      },
    ]);
    const readStatus = async () => (await api.request('/v1/orgs/acme/access-groups/status')).json();
    const resolved = (people: string[]) => ({
      accessGroups: expect.arrayContaining([
        expect.objectContaining({ name: 'engineering', providerGroups: [{ ...providerGroup, people }] }),
      ]),
    });
    expect(await readStatus()).toEqual(resolved(['ada@example.com']));

    const finding = { rejection: 'The issuer is wrong.', generation: 1, at: new Date().toISOString() };
    const conditions = withAcceptedCondition([], finding);
    await store.updateStatus(IdentityProviderKind, { namespace: systemNamespace, name: 'sso' }, () => ({ conditions }));
    expect((await list(api, '?role=member', 'viewer')).items).toEqual([]);
    expect(await readStatus()).toEqual(resolved([]));
  });

  it('200: shows platform admins to org admins only', async () => {
    const api = await startApi();
    const root = 'platform-admin@example.com';
    await api.tokenFor('platform-admin');
    expect(emails(await list(api, '?operation=createOrg'))).toEqual([root]);
    expect(emails(await list(api, '', 'viewer'))).not.toContain(root);
    await addGroup(api.store, 'readers', { role: 'viewer', members: [root] });
    const reasons = [{ accessGroup: 'readers', role: 'viewer' }];
    const [seenByAdmin] = (await list(api, `?person=${root}`)).items;
    expect(seenByAdmin).toMatchObject({ role: 'org-admin', platformAdmin: true, reasons });
    const [seenByViewer] = (await list(api, `?person=${root}`, 'viewer')).items;
    expect(seenByViewer).toMatchObject({ role: 'viewer', platformAdmin: false, reasons });
    expect((await list(api, `?person=${root}&role=member`, 'viewer')).items).toEqual([]);
  });

  it('403: tells the admin of another org nothing, and 404 a platform admin that the org does not exist', async () => {
    const { request, store } = await startApi();
    await createOrg(store, 'other');
    expect((await request('/v1/access/orgs/other/people', { role: 'org-admin' })).status).toBe(403);
    expect((await request('/v1/access/orgs/nowhere/people', { role: 'org-admin' })).status).toBe(403);
    expect((await request('/v1/access/orgs/nowhere/people')).status).toBe(404);
  });
});
