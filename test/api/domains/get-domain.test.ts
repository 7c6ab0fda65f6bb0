import { describe, expect, it } from 'vitest';
import { ConfigMapKind } from '../../../src/kinds/kubernetes.ts';
import { DomainKind, sweepShardLabel } from '../../../src/rules/domains/kinds.ts';
import { pendingBucket, sweepConfigMapName } from '../../../src/rules/domains/sweep-buckets.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
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

  it('200: tells when the sweep of its shard last checked it, and which zone keeps it from being deleted', async () => {
    const { request, store } = await startApi({ role: 'org-admin' });
    const create = async (name: string, labels?: Record<string, string>) =>
      await store.create(DomainKind, {
        metadata: { namespace: 'org-acme', name, ...(labels && { labels }) },
        spec: { name, kind: 'external', shared: false, token: 'secret-token' },
      });
    for (const [name, labels] of [['acme.test'], ['sale.test', { [sweepShardLabel]: '3' }]] as const) {
      const { metadata } = await create(name, labels);
      const status = { state: 'WaitingForDns' as const, claimedAt: metadata.creationTimestamp };
      await store.updateStatus(DomainKind, metadata, () => status);
    }
    const sweptAt = (shard: number): string => `2099-01-01T00:00:0${shard}.000Z`;
    for (const shard of [0, 3])
      await store.create(ConfigMapKind, {
        metadata: { namespace: 'service-system', name: sweepConfigMapName(shard) },
        data: { [pendingBucket]: sweptAt(shard) },
      });
    const zones = [
      { name: 'shop-rc', addresses: [{ domain: 'acme.test', name: 'rc' }] },
      { name: 'shop-prod', addresses: [{ domain: 'acme.test', name: '' }] },
      { name: 'shop-demo' },
    ];
    const metadata = { namespace: 'org-acme', name: 'shop' };
    await store.create(ProductKind, { metadata, spec: { repos: [], delivery: { zones } } });
    const deletion = { name: 'deleteDomain', allowed: true };
    const blocked = { ...deletion, allowed: false, message: 'The zone "shop-rc" uses the address rc.acme.test.' };
    const hosts = [{ host: 'rc.acme.test', product: 'shop', zone: 'shop-rc' }, { host: 'acme.test' }];
    const expected = [
      { status: { lastCheckedAt: sweptAt(0) }, addresses: hosts, actions: [{}, blocked] },
      { status: { lastCheckedAt: sweptAt(3) }, addresses: [], actions: [{}, deletion] },
    ];
    const { items } = (await (await request('/v1/orgs/acme/domains')).json()) as { items: object[] };
    expect(items.slice(1)).toMatchObject(expected);
    for (const [index, name] of ['acme.test', 'sale.test'].entries())
      expect(await (await request(`/v1/orgs/acme/domains/${name}`)).json()).toMatchObject(expected[index]!);
  });

  it('404: names the domain that the org does not have', async () => {
    const { request } = await startApi({ role: 'viewer' });
    expect((await request('/v1/orgs/acme/domains/other.test')).status).toBe(404);
  });
});
