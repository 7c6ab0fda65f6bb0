import { describe, expect, it } from 'vitest';
import { startApi } from '../../support/start-api.ts';

const path = '/v1/orgs/acme/access-groups';
const devs = { name: 'devs', role: 'member', members: ['Dev@example.com'] };
const ops = { name: 'ops', role: 'org-admin', members: [] };

describe('putAccessGroups', () => {
  it('200: replaces all groups', async () => {
    const { request } = await startApi();
    const put = async (accessGroups: unknown[]) => request(path, { method: 'PUT', body: { accessGroups } });
    await put([devs, ops]);
    const changed = { accessGroups: [{ ...devs, role: 'viewer' }] };
    expect(await (await put(changed.accessGroups)).json()).toEqual(changed);
    expect(await (await request(path)).json()).toEqual(changed);
  });

  it('422: rejects two groups with the same name', async () => {
    const { request } = await startApi();
    const response = await request(path, { method: 'PUT', body: { accessGroups: [devs, devs] } });
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({
      errors: [{ pointer: '/accessGroups/1/name', detail: 'is a duplicate' }],
    });
  });
});

describe('getAccessGroups', () => {
  it('200: contains each group with its members', async () => {
    const { request } = await startApi();
    await request(path, { method: 'PUT', body: { accessGroups: [devs] } });
    expect(await (await request(path)).json()).toEqual({ accessGroups: [devs] });
  });

  it('404: rejects an unknown org', async () => {
    const { request } = await startApi();
    expect((await request('/v1/orgs/nowhere/access-groups')).status).toBe(404);
  });
});

describe('putTeams', () => {
  it('200: replaces the access groups and links the successor', async () => {
    const { request } = await startApi();
    const response = await request('/v1/orgs/acme/teams', { method: 'PUT', body: { teams: [devs] } });
    expect(await response.json()).toEqual({ teams: [devs] });
    expect(response.headers.get('Deprecation')).toMatch(/^@\d+$/);
    expect(response.headers.get('Link')).toBe('</api/v1/orgs/acme/access-groups>; rel="successor-version"');
    expect(await (await request(path)).json()).toEqual({ accessGroups: [devs] });
  });
});

describe('getTeams', () => {
  it('200: contains the access groups and links the successor', async () => {
    const { request } = await startApi();
    await request(path, { method: 'PUT', body: { accessGroups: [devs] } });
    const response = await request('/v1/orgs/acme/teams');
    expect(await response.json()).toEqual({ teams: [devs] });
    expect(response.headers.get('Deprecation')).toMatch(/^@\d+$/);
  });
});
