import { describe, expect, it } from 'vitest';
import { startApi } from '../../support/start-api.ts';

const devs = { name: 'devs', role: 'member', members: ['Dev@example.com'] };
const ops = { name: 'ops', role: 'org-admin', members: [] };

describe('access groups', () => {
  it('200: are exactly what was put last', async () => {
    const { request } = await startApi();
    const put = async (accessGroups: unknown[]) =>
      request('/v1/orgs/acme/access-groups', { method: 'PUT', body: { accessGroups } });
    await put([devs, ops]);
    expect(await (await put([{ ...devs, role: 'viewer' }])).json()).toEqual({
      accessGroups: [{ ...devs, role: 'viewer' }],
    });
    expect(await (await request('/v1/orgs/acme/access-groups')).json()).toEqual({
      accessGroups: [{ ...devs, role: 'viewer' }],
    });
  });

  it('422: have names of their own', async () => {
    const { request } = await startApi();
    const response = await request('/v1/orgs/acme/access-groups', {
      method: 'PUT',
      body: { accessGroups: [devs, devs] },
    });
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ errors: [{ pointer: '/accessGroups/1/name' }] });
  });

  it('answer under their former name too, and say what takes its place', async () => {
    const { request } = await startApi();
    const response = await request('/v1/orgs/acme/teams', { method: 'PUT', body: { teams: [devs] } });
    expect(await response.json()).toEqual({ teams: [devs] });
    expect(response.headers.get('Deprecation')).toMatch(/^@\d+$/);
    expect(response.headers.get('Link')).toBe('</api/v1/orgs/acme/access-groups>; rel="successor-version"');
    expect(await (await request('/v1/orgs/acme/access-groups')).json()).toEqual({ accessGroups: [devs] });
  });
});
