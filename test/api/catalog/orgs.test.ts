import { describe, expect, it } from 'vitest';
import { catalogAgentWorkflows, catalogRoles } from '../../../src/rules/agents/catalog.ts';
import { addOrg, startApi } from '../../support/start-api.ts';

const names = async (response: Response): Promise<string[]> =>
  ((await response.json()) as { items: { name: string }[] }).items.map(({ name }) => name);

describe('an org', () => {
  it('201: is created with the catalog and a gitops repo', async () => {
    const { request } = await startApi();
    const response = await request('/v1/orgs', {
      method: 'POST',
      body: { name: 'umbrella', codehostAccount: 'Umbrella-Inc' },
    });
    expect(response.status).toBe(201);
    expect(response.headers.get('Location')).toBe('/api/v1/orgs/umbrella');
    expect(await response.json()).toMatchObject({
      kind: 'Organization',
      name: 'umbrella',
      org: 'umbrella',
      spec: { codehostAccount: 'Umbrella-Inc', gitopsRepo: 'Umbrella-Inc/gitops' },
    });
    expect(await names(await request('/v1/orgs/umbrella/agentroles'))).toEqual(Object.keys(catalogRoles).toSorted());
    expect(await names(await request('/v1/orgs/umbrella/agentworkflows'))).toEqual(
      Object.keys(catalogAgentWorkflows).toSorted(),
    );
  });

  it('409: is created once, also when asked twice at the same time', async () => {
    const { request } = await startApi();
    const create = () => request('/v1/orgs', { method: 'POST', body: { name: 'umbrella' } });
    const both = await Promise.all([create(), create()]);
    expect(both.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([201, 409]);
  });

  it('is listed for those who have a role in it, page by page', async () => {
    const { request, store } = await startApi();
    await addOrg(store, 'umbrella');
    expect(await names(await request('/v1/orgs', { role: 'viewer' }))).toEqual(['acme']);
    expect(await names(await request('/v1/orgs', { role: 'no-role' }))).toEqual([]);
    const first = (await (await request('/v1/orgs?limit=1')).json()) as { items: { name: string }[]; continue: string };
    expect(first.items.map(({ name }) => name)).toEqual(['acme']);
    const second = (await (await request(`/v1/orgs?limit=1&continue=${first.continue}`)).json()) as {
      items: { name: string }[];
    };
    expect(second.items.map(({ name }) => name)).toEqual(['umbrella']);
    expect(second).not.toHaveProperty('continue');
  });

  it('tells each caller what they may do with it', async () => {
    const { request } = await startApi();
    const actions = async (role: 'viewer' | 'org-admin') =>
      ((await (await request('/v1/orgs/acme', { role })).json()) as { actions: object[] }).actions;
    expect(await actions('org-admin')).toContainEqual({ name: 'createProduct', allowed: true });
    expect(await actions('viewer')).toContainEqual({
      name: 'createProduct',
      allowed: false,
      why: expect.stringContaining('"org-admin"'),
    });
  });
});
