import { describe, expect, it } from 'vitest';
import { createEntry } from '../../../api/audit/audit-log.ts';
import { getOrganization } from '../../../api/orgs/org.ts';
import { ApiTokenKind } from '../../../src/rules/access/kinds.ts';
import { createEntryId } from '../../../src/rules/audit/entry-id.ts';
import type { AuditEntry } from '../../../src/rules/audit/entry.ts';
import { createOrg, startApi, type ApiHarness } from '../../support/start-api.ts';

type Page = { items: AuditEntry[]; continue?: string };
const path = '/v1/orgs/acme/audit';

async function read({ request }: ApiHarness, query = ''): Promise<Page> {
  const response = await request(`${path}${query}`);
  expect(response.status).toBe(200);
  return (await response.json()) as Page;
}
const listOperations = async (api: ApiHarness, query: string): Promise<string[]> =>
  (await read(api, query)).items.map(({ operation }) => operation);

/** Makes a few changes, a second apart. */
async function startWithChanges(): Promise<ApiHarness> {
  let nowMs = Date.parse('2026-11-25T12:00:00Z');
  const api = await startApi({ role: 'org-admin', now: () => new Date((nowMs += 1_000)) });
  const spec = { responsibilities: ['Write it.'] };
  const roles = '/v1/orgs/acme/agentroles';
  await api.request(roles, { method: 'POST', body: { name: 'writer', spec } });
  await api.request(roles, { method: 'POST', body: { name: 'reader', spec } });
  await api.request(`${roles}/writer`, { method: 'DELETE' });
  await api.request(`${roles}/writer`, { method: 'DELETE', role: 'viewer' });
  await api.request('/v1/orgs/acme/approvals', { method: 'PUT', body: { preventSelfApproval: true } });
  return api;
}

describe('listAuditEntries', () => {
  it('200: lists the newest change first', async () => {
    const api = await startWithChanges();
    const expected = ['putApprovals', 'deleteAgentRole', 'deleteAgentRole', 'createAgentRole', 'createAgentRole'];
    expect(await listOperations(api, '')).toEqual(expected);
  });

  it.each([
    ['?by=VIEWER@example.com', ['deleteAgentRole']],
    ['?by=other@example.com', []],
    ['?operation=createAgentRole', ['createAgentRole', 'createAgentRole']],
    ['?result=refused', ['deleteAgentRole']],
    ['?kind=Organization', ['putApprovals']],
    ['?kind=AgentRole&name=reader', ['createAgentRole']],
    ['?name=writer', ['deleteAgentRole', 'deleteAgentRole', 'createAgentRole']],
  ])('200: filters by %s', async (query, expected) => {
    expect(await listOperations(await startWithChanges(), query)).toEqual(expected);
  });

  it('200: filters by time', async () => {
    const api = await startWithChanges();
    const { items } = await read(api);
    const [newest, second] = items;
    expect((await read(api, `?since=${newest?.at}`)).items).toEqual([newest]);
    expect((await read(api, `?since=${second?.at}&until=${newest?.at}`)).items).toEqual([second]);
  });

  it('200: pages without a gap, and 422 for a page of another filter', async () => {
    const api = await startWithChanges();
    const all = (await read(api)).items;
    const first = await read(api, '?limit=2');
    const second = await read(api, `?limit=2&continue=${first.continue}`);
    const third = await read(api, `?limit=2&continue=${second.continue}`);
    expect([...first.items, ...second.items, ...third.items]).toEqual(all);
    expect(third.continue).toBeUndefined();
    expect((await api.request(`${path}?by=jo@example.com&continue=${first.continue}`)).status).toBe(422);
  });

  it('200: exports all matching entries as JSON lines', async () => {
    const api = await startWithChanges();
    const response = await api.request(`${path}?limit=1&kind=AgentRole`, {
      headers: { Accept: 'application/x-ndjson' },
    });
    expect(response.headers.get('Content-Type')).toBe('application/x-ndjson');
    const lines = (await response.text()).trimEnd().split('\n');
    const { items } = await read(api, '?kind=AgentRole');
    expect(lines.map((line) => JSON.parse(line) as AuditEntry)).toEqual(items);
    expect(items).toHaveLength(3);
  });

  it('200: ends an export when the credentials of its reader end', async () => {
    const api = await startApi({ role: 'org-admin' });
    await api.request('/v1/orgs/acme/agentroles/nothing', { method: 'DELETE' });
    const [entry] = (await read(api)).items;
    if (!entry) throw new Error('There is no entry.');
    const { metadata } = await getOrganization(api.store, 'acme');
    for (let index = 0; index < 2_500; index += 1)
      await createEntry(api.store, metadata.uid, { ...entry, id: createEntryId(new Date(index), 'a0a0a0a0') });
    const response = await api.request(path, { headers: { Accept: 'application/x-ndjson' } });
    const lines = response.body?.getReader();
    expect((await lines?.read())?.value).toBeDefined();
    for (const { metadata: token } of (await api.store.list(ApiTokenKind)).items)
      await api.store.delete(ApiTokenKind, token);
    const readToEnd = async (): Promise<void> => {
      for (;;) if ((await lines?.read())?.done !== false) return;
    };
    await expect(readToEnd()).rejects.toThrow('revoked');
  });

  it('403: for everybody else, and 404 for an org that does not exist', async () => {
    const api = await startWithChanges();
    await createOrg(api.store, 'globex');
    for (const role of ['member', 'viewer', 'no-role'] as const)
      expect((await api.request(path, { role })).status).toBe(403);
    expect((await api.request('/v1/orgs/globex/audit')).status).toBe(403);
    expect((await api.request('/v1/orgs/nowhere/audit', { role: 'platform-admin' })).status).toBe(404);
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
    '405: for %s, so that no caller changes or deletes an entry',
    async (method) => {
      const api = await startApi({ role: 'platform-admin' });
      for (const one of [path, '/v1/audit', `${path}/20261125t120000000z-a0a0a0a0`])
        expect([404, 405]).toContain((await api.request(one, { method })).status);
    },
  );
});
