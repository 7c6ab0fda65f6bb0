import { describe, expect, it } from 'vitest';
import { AccessGroupKind, type AccessGroupSpec } from '../../../src/rules/access/kinds.ts';
import { orgNamespace } from '../../../src/rules/resource.ts';
import { createOrg, startApi } from '../../support/start-api.ts';

const start = async () => {
  const api = await startApi();
  await createOrg(api.store, 'other');
  const addGroup = async (org: string, name: string, spec: Partial<AccessGroupSpec>): Promise<void> => {
    const metadata = { namespace: orgNamespace(org), name };
    await api.store.create(AccessGroupKind, { metadata, spec: { name, role: 'member', members: [], ...spec } });
  };
  const list = async (email: string, query = '') => {
    const response = await api.request(`/v1/access/people/${encodeURIComponent(email)}/roles${query}`);
    expect(response.status, await response.clone().text()).toBe(200);
    return (await response.json()) as { items: { org: string }[]; continue?: string };
  };
  return { ...api, addGroup, list };
};

describe('listPersonRoles', () => {
  it('200: says in which orgs a person has a role, and every reason, in pages', async () => {
    const { addGroup, list } = await start();
    await addGroup('acme', 'leads', { role: 'org-admin', members: ['Ada@example.com'] });
    await addGroup('acme', 'team', { members: ['ada@example.com'] });
    await addGroup('other', 'readers', { role: 'viewer', members: ['ada@example.com', 'ben@example.com'] });
    const { items } = await list('ADA@example.com');
    expect(items).toEqual([
      {
        org: 'acme',
        role: 'org-admin',
        platformAdmin: false,
        reasons: [
          { accessGroup: 'leads', role: 'org-admin' },
          { accessGroup: 'team', role: 'member' },
        ],
      },
      { org: 'other', role: 'viewer', platformAdmin: false, reasons: [{ accessGroup: 'readers', role: 'viewer' }] },
    ]);
    const first = await list('ada@example.com', '?limit=1');
    const second = await list('ada@example.com', `?limit=1&continue=${first.continue}`);
    expect([...first.items, ...second.items]).toEqual(items);
    expect(await list('eve@example.com')).toEqual({ items: [] });
  });

  it('200: lists every org for a platform admin', async () => {
    const { list } = await start();
    const all = { role: 'org-admin', platformAdmin: true, reasons: [] };
    expect((await list('platform-admin@example.com')).items).toEqual([
      { org: 'acme', ...all },
      { org: 'other', ...all },
    ]);
  });
});
