import { describe, expect, it } from 'vitest';
import { defaultAgentWorkflows, defaultRoles } from '../../../src/rules/agents/default-workflows.ts';
import { OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import { captureStarts } from '../../support/workflows/capture-starts.ts';
import { createOrg, startApi } from '../../support/start-api.ts';

const orgRef = { namespace: 'service-system', name: 'acme' };
const readNames = async (response: Response): Promise<string[]> =>
  ((await response.json()) as { items: { name: string }[] }).items.map(({ name }) => name);

describe('createOrg', () => {
  it('201: creates an org with a gitops repo and the default AgentRoles and AgentWorkflows', async () => {
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
    expect(await readNames(await request('/v1/orgs/umbrella/agentroles'))).toEqual(
      Object.keys(defaultRoles).toSorted(),
    );
    expect(await readNames(await request('/v1/orgs/umbrella/agentworkflows'))).toEqual(
      Object.keys(defaultAgentWorkflows).toSorted(),
    );
  });

  it('409: creates an org once for two concurrent requests', async () => {
    const { request } = await startApi();
    const create = () => request('/v1/orgs', { method: 'POST', body: { name: 'umbrella' } });
    const both = await Promise.all([create(), create()]);
    expect(both.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([201, 409]);
  });
});

describe('listOrgs', () => {
  it('200: contains the orgs in which the caller has a role, page by page', async () => {
    const { request, store } = await startApi();
    await createOrg(store, 'umbrella');
    expect(await readNames(await request('/v1/orgs', { role: 'viewer' }))).toEqual(['acme']);
    expect(await readNames(await request('/v1/orgs', { role: 'no-role' }))).toEqual([]);
    const first = (await (await request('/v1/orgs?limit=1')).json()) as { items: { name: string }[]; continue: string };
    expect(first.items.map(({ name }) => name)).toEqual(['acme']);
    const second = (await (await request(`/v1/orgs?limit=1&continue=${first.continue}`)).json()) as {
      items: { name: string }[];
    };
    expect(second.items.map(({ name }) => name)).toEqual(['umbrella']);
    expect(second).not.toHaveProperty('continue');
  });
});

describe('getOrg', () => {
  it('200: contains the operations that the caller can perform', async () => {
    const { request } = await startApi();
    const readActions = async (role: 'viewer' | 'org-admin') =>
      ((await (await request('/v1/orgs/acme', { role })).json()) as { actions: object[] }).actions;
    expect(await readActions('org-admin')).toContainEqual({ name: 'createProduct', allowed: true });
    expect(await readActions('viewer')).toContainEqual({
      name: 'createProduct',
      allowed: false,
      reason: 'role-insufficient',
      message: expect.stringContaining('"org-admin"'),
    });
  });
});

describe('putApprovals', () => {
  it('200: replaces the approval rules', async () => {
    const { request } = await startApi({ role: 'org-admin' });
    const body = { preventSelfApproval: true };
    const response = await request('/v1/orgs/acme/approvals', { method: 'PUT', body });
    expect(await response.json()).toMatchObject({ spec: { approvals: body } });
    expect(response.headers.get('ETag')).toBeTruthy();
  });

  it('409: rejects a version that is no longer current', async () => {
    const { request } = await startApi({ role: 'org-admin' });
    const put = async (preventSelfApproval: boolean, headers: Record<string, string> = {}) =>
      request('/v1/orgs/acme/approvals', { method: 'PUT', body: { preventSelfApproval }, headers });
    const etag = (await request('/v1/orgs/acme')).headers.get('ETag') ?? '';
    await put(true);
    expect(await (await put(false, { 'If-Match': etag })).json()).toMatchObject({
      status: 412,
      reason: 'precondition-failed',
    });
  });
});

describe('deleteOrg', () => {
  const deletion = { method: 'DELETE' };
  const start = async () => {
    const { temporal, starts } = captureStarts();
    return { starts, ...(await startApi({ role: 'org-admin', temporal })) };
  };

  it('422: deletes nothing without the name of the org as the confirmation', async () => {
    const { request, store, starts } = await start();
    expect((await request('/v1/orgs/acme', deletion)).status).toBe(422);
    const response = await request('/v1/orgs/acme?confirm=acne', deletion);
    expect(await response.json()).toMatchObject({
      status: 422,
      detail: expect.stringContaining('?confirm=acme'),
      errors: [{ pointer: '?confirm', detail: 'must be "acme"' }],
    });
    expect(starts).toEqual([]);
    expect((await store.list(OrganizationKind)).items[0]?.metadata.deletionTimestamp).toBeUndefined();
  });

  it('202: starts the deletion, shows its progress, and responds the same again', async () => {
    const { request, store, starts } = await start();
    const responses = [
      await request('/v1/orgs/acme?confirm=acme', deletion),
      await request('/v1/orgs/acme?confirm=acme', deletion),
    ];
    expect(responses.map(({ status }) => status)).toEqual([202, 202]);
    const [first, second] = await Promise.all(responses.map(async (response) => (await response.json()) as object));
    expect(first).toEqual(second);
    expect(first).toMatchObject({
      status: { deletionMessage: 'The deletion was requested by org-admin@example.com.' },
      actions: expect.arrayContaining([
        { name: 'deleteOrg', allowed: true },
        expect.objectContaining({ name: 'createProduct', allowed: false, message: 'The org is being deleted.' }),
        expect.objectContaining({ name: 'openIncident', allowed: false, message: 'The org is being deleted.' }),
      ]),
    });
    expect(starts).toHaveLength(2);
    await store.updateStatus(OrganizationKind, orgRef, () => ({ deletionMessage: 'Waiting.' }));
    expect(await (await request('/v1/orgs/acme')).json()).toMatchObject({ status: { deletionMessage: 'Waiting.' } });
  });

  it('412: keeps an org that changed since it was read', async () => {
    const { request, starts } = await start();
    const headers = { 'If-Match': '"1"' };
    expect((await request('/v1/orgs/acme?confirm=acme', { ...deletion, headers })).status).toBe(412);
    expect(starts).toEqual([]);
  });

  it('409: an org that is being deleted accepts no change, and its name is not free yet', async () => {
    const { request } = await start();
    await request('/v1/orgs/acme?confirm=acme', deletion);
    const product = { name: 'shop', spec: { repos: ['acme/shop'] } };
    for (const [method, path, body] of [
      ['POST', '/v1/orgs/acme/products', product],
      ['PUT', '/v1/orgs/acme/approvals', { preventSelfApproval: true }],
      ['POST', '/v1/orgs/acme/codehost/connect', undefined],
    ] as const)
      expect(await (await request(path, { method, body })).json()).toMatchObject({ reason: 'org-deleting' });
    expect((await request('/v1/orgs/acme/products')).status).toBe(200);
    const again = await request('/v1/orgs', { method: 'POST', body: { name: 'acme' }, role: 'platform-admin' });
    expect(await again.json()).toMatchObject({ status: 409, reason: 'org-deleting' });
  });

  it('403: no other org’s admin can delete it', async () => {
    const { request, store } = await start();
    await createOrg(store, 'umbrella');
    expect((await request('/v1/orgs/umbrella?confirm=umbrella', deletion)).status).toBe(403);
  });
});
