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

  it('200: returns the domain of the installation first, then those of the org by name, page by page', async () => {
    const { request, store } = await startApi({ role: 'viewer' });
    for (const name of ['zebra.test', 'acme.test', 'shop.test'])
      await store.create(DomainKind, {
        metadata: { namespace: 'org-acme', name },
        spec: { name, kind: 'external', shared: false, token: 'secret-token' },
      });
    type Page = { items: { name: string }[]; continue?: string };
    const list = async (query: string): Promise<Page> =>
      (await (await request(`/v1/orgs/acme/domains?${query}`)).json()) as Page;
    const first = await list('limit=2');
    expect(first.items.map(({ name }) => name)).toEqual(['apps.example.net', 'acme.test']);
    await store.delete(DomainKind, { namespace: 'org-acme', name: 'acme.test' });
    const last = await list(`limit=2&continue=${first.continue}`);
    expect(last.items.map(({ name }) => name)).toEqual(['shop.test', 'zebra.test']);
    expect(last).not.toHaveProperty('continue');
  });

  it('403: requires a role in the org', async () => {
    const { request } = await startApi({ role: 'no-role' });
    expect((await request('/v1/orgs/acme/domains')).status).toBe(403);
  });
});
