import { describe, expect, it } from 'vitest';
import { DomainKind } from '../../../src/rules/domains/kinds.ts';
import { startApi } from '../../support/start-api.ts';

describe('getDomain', () => {
  it('200: returns the domain as the list does, in any spelling of its name', async () => {
    const { request, store } = await startApi({ role: 'viewer' });
    await store.create(DomainKind, {
      metadata: { namespace: 'org-acme', name: 'acme.test' },
      spec: { name: 'acme.test', kind: 'external', shared: false, token: 'secret-token' },
    });
    const { items } = (await (await request('/v1/orgs/acme/domains')).json()) as { items: { name: string }[] };
    for (const name of ['acme.test', 'ACME.test']) {
      const response = await request(`/v1/orgs/acme/domains/${name}`);
      expect([response.status, await response.json()]).toEqual([200, items.find((item) => item.name === 'acme.test')]);
    }
  });

  it('404: names the domain that the org does not have', async () => {
    const { request } = await startApi({ role: 'viewer' });
    expect((await request('/v1/orgs/acme/domains/other.test')).status).toBe(404);
  });
});
