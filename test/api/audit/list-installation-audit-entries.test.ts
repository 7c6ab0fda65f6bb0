import { describe, expect, it } from 'vitest';
import type { AuditEntry } from '../../../src/rules/audit/entry.ts';
import { startApi } from '../../support/start-api.ts';

describe('listInstallationAuditEntries', () => {
  it('200: lists the changes of no org, with orgs that were created or deleted', async () => {
    const api = await startApi();
    await api.request('/v1/orgs', { method: 'POST', body: { name: 'globex' } });
    await api.request('/v1/me/tokens', { method: 'POST', body: { label: 'ci' }, role: 'viewer', via: 'session' });
    await api.request('/v1/orgs/acme?confirm=acme', { method: 'DELETE' });
    const response = await api.request('/v1/audit');
    const { items } = (await response.json()) as { items: AuditEntry[] };
    expect(items.map(({ operation, by }) => `${operation} ${by}`)).toEqual([
      'deleteOrg platform-admin@example.com',
      'mintToken viewer@example.com',
      'createOrg platform-admin@example.com',
    ]);
  });

  it('403: for org admins', async () => {
    const { request } = await startApi({ role: 'org-admin' });
    expect((await request('/v1/audit')).status).toBe(403);
  });
});
