import { describe, expect, it } from 'vitest';
import { OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { startApi, type CallerRole } from '../../support/start-api.ts';

describe('getUsage', () => {
  it('200: counts over all orgs, for platform admins', async () => {
    const { request, store } = await startApi({ config: { workloadClusters: ['apart'] } });
    await store.create(OrganizationKind, {
      metadata: { namespace: 'service-system', name: 'other' },
      spec: { codehostAccount: 'other', gitopsRepo: 'other/gitops' },
    });
    const create = async (org: string, zones: string[]): Promise<unknown> =>
      await store.create(ProductKind, {
        metadata: { namespace: `org-${org}`, name: 'shop' },
        spec: { repos: [`${org}/shop`], delivery: { zones: zones.map((name) => ({ name })) } },
      });
    const before = (await (await request('/v1/usage')).json()) as Record<string, number>;
    await create('acme', ['shop-rc', 'shop-prod']);
    await create('other', ['shop-live']);
    expect(await (await request('/v1/usage')).json()).toEqual({
      ...before,
      workloadClusters: 1,
      products: 2,
      zones: 3,
    });
    expect(before).toMatchObject({ orgs: 2, products: 0, zones: 0 });
    expect(before['users']).toBeGreaterThan(0);
  });

  it('403: is of all orgs, so no org admin reads it', async () => {
    const { request } = await startApi();
    for (const role of ['org-admin', 'member', 'viewer', 'no-role'] satisfies CallerRole[])
      expect([role, (await request('/v1/usage', { role })).status]).toEqual([role, 403]);
  });
});
