import { describe, expect, it } from 'vitest';
import { DomainKind } from '../../../src/rules/domains/kinds.ts';
import { startApi } from '../../support/start-api.ts';

describe('listDomains', () => {
  it('200: returns the domain of the installation and those of the org, without their tokens', async () => {
    const { request, store } = await startApi({ role: 'viewer' });
    const metadata = { namespace: 'org-acme', name: 'acme.test' };
    await store.create(DomainKind, {
      metadata,
      spec: { name: 'acme.test', kind: 'external', shared: false, token: 'secret-token' },
    });
    const response = await request('/v1/orgs/acme/domains');
    const text = await response.text();
    expect(text).not.toContain('"token"');
    expect(JSON.parse(text)).toMatchObject({
      items: [
        {
          name: 'apps.example.net',
          spec: { kind: 'platform', shared: true },
          status: { state: 'Verified' },
          records: [],
        },
        { name: 'acme.test', status: { state: 'WaitingForDns' }, records: [{ type: 'TXT' }, {}, {}], addresses: [] },
      ],
    });
  });

  it('403: requires a role in the org', async () => {
    const { request } = await startApi({ role: 'no-role' });
    expect((await request('/v1/orgs/acme/domains')).status).toBe(403);
  });
});
