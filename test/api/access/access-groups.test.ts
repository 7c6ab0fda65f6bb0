import { describe, expect, it } from 'vitest';
import { AccessGroupKind } from '../../../src/rules/access/kinds.ts';
import { withAcceptedCondition } from '../../../src/rules/conditions.ts';
import { OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import type { Store } from '../../../src/store/store.ts';
import { openTestStore } from '../../support/open-test-store.ts';
import { startApi, type ApiHarness } from '../../support/start-api.ts';

const path = '/v1/orgs/acme/access-groups';
const devs = { name: 'devs', role: 'member', members: ['Dev@example.com'] };
const ops = { name: 'ops', role: 'org-admin', members: [] };

const put = async (request: ApiHarness['request'], accessGroups: unknown[], version?: string): Promise<Response> => {
  const condition = version === undefined && { headers: { 'If-Match': '*' } };
  return await request(path, { method: 'PUT', body: { accessGroups, resourceVersion: version }, ...condition });
};

/** A deprecated operation is removed one release after its deprecation. */
function expectLaterSunset({ headers }: Response): void {
  const deprecatedAt = Number(headers.get('Deprecation')?.slice(1)) * 1000;
  expect(Date.parse(headers.get('Sunset') ?? '')).toBeGreaterThan(deprecatedAt);
}

describe('putAccessGroups', () => {
  it('200: replaces all groups', async () => {
    const { request } = await startApi();
    await put(request, [devs, ops]);
    const changed = { accessGroups: [{ ...devs, role: 'viewer' }], resourceVersion: expect.any(String) };
    const response = await put(request, changed.accessGroups);
    expect(await response.clone().json()).toEqual(changed);
    expect(await (await request(path)).json()).toEqual(await response.json());
  });

  it('409: of two admins who change the groups at once, one is rejected', async () => {
    const { request } = await startApi();
    const { resourceVersion } = (await (await put(request, [devs])).json()) as { resourceVersion: string };
    const both = await Promise.all([
      put(request, [devs, ops], resourceVersion),
      put(request, [ops], resourceVersion),
      put(request, [], resourceVersion),
    ]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
    expect((await put(request, [], resourceVersion)).status).toBe(409);
  });

  it('412: rejects an ETag from before a group was applied with kubectl', async () => {
    const { request, store } = await startApi();
    await put(request, [devs]);
    const headers = { 'If-Match': (await request(path)).headers.get('ETag') ?? '' };
    const group = await store.get(AccessGroupKind, { namespace: 'org-acme', name: 'devs' });
    await store.replace(AccessGroupKind, { ...group, spec: { ...group.spec, role: 'viewer' } });
    expect((await request(path, { method: 'PUT', body: { accessGroups: [ops] }, headers })).status).toBe(412);
  });

  it('200: takes the ETag of a response, and repeats the write when only another setting of the org has changed', async () => {
    const store = openTestStore();
    let changes = 0;
    const replace: Store['replace'] = async (kind, object) => {
      if (kind.kind === OrganizationKind.kind && changes > 0) {
        changes -= 1;
        const org = await store.get(OrganizationKind, object.metadata);
        await store.replace(OrganizationKind, { ...org, spec: { ...org.spec, displayName: `Acme ${changes}` } });
      }
      return await store.replace(kind, object);
    };
    const { request } = await startApi({ store: { ...store, replace } });
    const first = await put(request, [devs]);
    const putWith = async (ETag: string | null, body: object, target = path) =>
      await request(target, { method: 'PUT', body, headers: { 'If-Match': ETag ?? '' } });
    changes = 4;
    const second = await putWith(first.headers.get('ETag'), { accessGroups: [ops] });
    expect(second.status).toBe(200);
    changes = 5;
    expect((await putWith(second.headers.get('ETag'), { accessGroups: [devs] })).status).toBe(409);
    changes = 0;
    const teams = '/v1/orgs/acme/teams';
    const third = await putWith((await request(teams)).headers.get('ETag'), { teams: [devs] }, teams);
    expect(third.status).toBe(200);
    expect((await putWith(third.headers.get('ETag'), { accessGroups: [] })).status).toBe(200);
  });

  it('422: never takes the role org-admin from the sender, except from a platform admin', async () => {
    const { request } = await startApi({ role: 'org-admin' });
    const admins = { name: 'org-admins', role: 'org-admin', members: ['Org-Admin@example.com', 'ada@example.com'] };
    expect((await put(request, [devs, admins])).status).toBe(200);
    const others = { ...admins, members: ['ada@example.com'] };
    for (const groups of [[], [devs, others], [others, { ...admins, name: 'devs', role: 'member' }]]) {
      const refused = await put(request, groups);
      expect([refused.status, await refused.json()]).toEqual([
        422,
        expect.objectContaining({
          detail: expect.stringContaining('Keep org-admin@example.com in a group with the role org-admin'),
          errors: [{ pointer: '/accessGroups', detail: 'take the role org-admin from you' }],
        }),
      ]);
    }
    const teams = await request('/v1/orgs/acme/teams', {
      method: 'PUT',
      body: { teams: [] },
      headers: { 'If-Match': '*' },
    });
    expect(await teams.json()).toMatchObject({ status: 422, errors: [{ pointer: '/teams' }] });
    expect(await (await request(path)).json()).toMatchObject({ accessGroups: [devs, admins] });
    const removed = await request(path, {
      method: 'PUT',
      role: 'platform-admin',
      body: { accessGroups: [others] },
      headers: { 'If-Match': '*' },
    });
    expect(removed.status).toBe(200);
    expect((await request(path)).status).toBe(403);
  });

  it('422: rejects two groups with the same name', async () => {
    const { request } = await startApi();
    const response = await put(request, [devs, devs]);
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({
      errors: [{ pointer: '/accessGroups/1/name', detail: 'is a duplicate' }],
    });
  });
});

describe('a rejected access group', () => {
  /** Starts an API with a group that was applied with kubectl under another name than that of its spec. */
  async function startWithRejectedGroup() {
    const api = await startApi();
    const metadata = { namespace: 'org-acme', name: 'draft' };
    const spec = { name: 'leads', role: 'org-admin' as const, members: ['no-role@example.com'] };
    await api.store.create(AccessGroupKind, { metadata, spec });
    const finding = { rejection: 'its names differ', generation: 1, at: '2027-01-01T00:00:00.000Z' };
    const conditions = withAcceptedCondition([], finding);
    await api.store.updateStatus(AccessGroupKind, metadata, () => ({ conditions }));
    return api;
  }

  it('gives no role, and no list says that it gives one', async () => {
    const { request } = await startWithRejectedGroup();
    expect((await request('/v1/orgs/acme', { role: 'no-role' })).status).toBe(403);
    expect(await (await request('/v1/me', { role: 'no-role' })).json()).toMatchObject({ orgs: [] });
    expect(await (await request('/v1/access/access-groups', { role: 'no-role' })).json()).toEqual({ items: [] });
    for (const list of [
      `${path}/status`,
      '/v1/access/orgs/acme/people?person=no-role@example.com',
      '/v1/access/people/no-role@example.com/roles',
    ])
      expect(await (await request(list, { role: 'platform-admin' })).text()).not.toMatch(/leads|draft/);
  });

  it('is deleted by a replacement that lists a group of the name in its spec', async () => {
    const { request, store } = await startWithRejectedGroup();
    const leads = { ...ops, name: 'leads' };
    expect(await (await put(request, [leads])).json()).toMatchObject({ accessGroups: [leads] });
    const { items } = await store.list(AccessGroupKind, { namespace: 'org-acme' });
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['leads']);
  });
});

describe('getAccessGroups', () => {
  it('200: contains each group with its members', async () => {
    const { request } = await startApi();
    await put(request, [devs]);
    expect(await (await request(path)).json()).toMatchObject({ accessGroups: [devs] });
  });

  it('404: rejects an unknown org', async () => {
    const { request } = await startApi();
    expect((await request('/v1/orgs/nowhere/access-groups')).status).toBe(404);
  });
});

describe('putTeams', () => {
  it('200: replaces the access groups and links the successor', async () => {
    const { request } = await startApi();
    const response = await request('/v1/orgs/acme/teams', {
      method: 'PUT',
      body: { teams: [devs] },
      headers: { 'If-Match': '*' },
    });
    expect(await response.json()).toMatchObject({ teams: [devs] });
    expect(response.headers.get('Deprecation')).toMatch(/^@\d+$/);
    expectLaterSunset(response);
    expect(response.headers.get('Link')).toBe('</api/v1/orgs/acme/access-groups>; rel="successor-version"');
    expect(await (await request(path)).json()).toMatchObject({ accessGroups: [devs] });
  });
});

describe('getTeams', () => {
  it('200: contains the access groups and links the successor', async () => {
    const { request } = await startApi();
    await put(request, [devs]);
    const response = await request('/v1/orgs/acme/teams');
    expect(await response.json()).toMatchObject({ teams: [devs] });
    expect(response.headers.get('Deprecation')).toMatch(/^@\d+$/);
    expectLaterSunset(response);
  });
});

describe('getAccessGroupsStatus', () => {
  it('200: tells which members are users, also to a viewer', async () => {
    const { request } = await startApi();
    const members = ['VIEWER@example.com', 'new-person@example.com'];
    await put(request, [
      { ...ops, members: ['viewer@example.com'] },
      { ...devs, members },
    ]);
    const response = await request(`${path}/status`, { role: 'viewer' });
    expect(await response.json()).toMatchObject({
      accessGroups: expect.arrayContaining([
        {
          name: 'devs',
          role: 'member',
          members: [
            { email: members[0], isUser: true },
            { email: members[1], isUser: false },
          ],
        },
        { name: 'ops', role: 'org-admin', members: [{ email: 'viewer@example.com', isUser: true }] },
      ]),
    });
  });
});

describe('getTeamsStatus', () => {
  it('200: contains what the access groups resolve to, and links the successor', async () => {
    const { request } = await startApi();
    await put(request, [devs]);
    const response = await request('/v1/orgs/acme/teams/status');
    expect(await response.json()).toMatchObject({ teams: [{ name: 'devs' }] });
    expect(response.headers.get('Deprecation')).toMatch(/^@\d+$/);
    expectLaterSunset(response);
    expect(response.headers.get('Link')).toBe('</api/v1/orgs/acme/access-groups/status>; rel="successor-version"');
  });
});

describe('listMyAccessGroups', () => {
  it('200: contains each group that gives the caller a role, and no other', async () => {
    const { request } = await startApi();
    await put(request, [
      { ...devs, members: ['Member@example.com'] },
      ops,
      { ...ops, name: 'leads', members: ['member@example.com'] },
    ]);
    const response = await request('/v1/access/access-groups', { role: 'member' });
    const { items } = (await response.json()) as { items: { accessGroup: string }[] };
    expect(items.filter(({ accessGroup }) => ['devs', 'ops', 'leads'].includes(accessGroup))).toEqual([
      { org: 'acme', accessGroup: 'devs', role: 'member' },
      { org: 'acme', accessGroup: 'leads', role: 'org-admin' },
    ]);
    expect(await (await request('/v1/access/access-groups', { role: 'no-role' })).json()).toEqual({ items: [] });
  });
});

describe('listMyTeams', () => {
  it('200: names the groups as teams, and links the successor', async () => {
    const { request } = await startApi();
    await put(request, [{ ...devs, members: ['member@example.com'] }]);
    const response = await request('/v1/access/teams', { role: 'member' });
    expect(await response.json()).toMatchObject({
      items: expect.arrayContaining([{ org: 'acme', team: 'devs', role: 'member' }]),
    });
    expect(response.headers.get('Deprecation')).toMatch(/^@\d+$/);
    expectLaterSunset(response);
    expect(response.headers.get('Link')).toBe('</api/v1/access/access-groups>; rel="successor-version"');
  });
});
