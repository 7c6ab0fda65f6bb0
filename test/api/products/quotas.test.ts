import { expect, it } from 'vitest';
import { loadConfig } from '../../../src/config.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { startApi } from '../../support/start-api.ts';

const toZones = (...names: string[]) => names.map((name) => ({ name, promotionPolicy: 'automatic' }));

async function startWithQuotas(limits: { productsPerOrg?: number; zonesPerOrg?: number }) {
  const api = await startApi({ config: { quotas: { ...loadConfig({}).quotas, ...limits } } });
  const create = async (name: string, zones = toZones(`${name}-rc`), org = 'acme') =>
    await api.request(`/v1/orgs/${org}/products`, {
      method: 'POST',
      body: { name, spec: { repos: [], delivery: { zones } } },
    });
  return { ...api, create };
}

it('429: refuses one Product more than the quota of the org, and names the limit and its setting', async () => {
  const { create, store } = await startWithQuotas({ productsPerOrg: 2 });
  expect([(await create('one')).status, (await create('two')).status]).toEqual([201, 201]);
  const refused = await create('three');
  expect(await refused.json()).toMatchObject({
    status: 429,
    reason: 'quota-reached',
    detail: expect.stringContaining('2 Products (QUOTA_PRODUCTS_PER_ORG)'),
  });
  // The name is not taken by the refused Product.
  await store.delete(ProductKind, { namespace: 'org-acme', name: 'one' });
  const { metadata, ...product } = await store.get(ProductKind, { namespace: 'org-acme', name: 'one' });
  await store.replace(ProductKind, { ...product, metadata: { ...metadata, finalizers: [] } });
  expect((await create('three')).status).toBe(201);
});

it('429: never exceeds the quota, also by concurrent requests', async () => {
  const { create, store } = await startWithQuotas({ productsPerOrg: 3 });
  const responses = await Promise.all(Array.from({ length: 12 }, async (_, index) => await create(`product-${index}`)));
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201, 429]));
  expect((await store.list(ProductKind)).items.length).toBeLessThanOrEqual(3);
});

it('429: counts the zones of all Products of the org', async () => {
  const { create, request } = await startWithQuotas({ zonesPerOrg: 3 });
  expect((await create('one', toZones('one-rc', 'one-prod'))).status).toBe(201);
  expect((await create('two')).status).toBe(201);
  const quotaReached = { status: 429, detail: expect.stringContaining('3 zones (QUOTA_ZONES_PER_ORG)') };
  expect(await (await create('three')).json()).toMatchObject(quotaReached);
  const zones = '/v1/orgs/acme/products/two/zones';
  expect(await (await request(zones, { method: 'POST', body: {} })).json()).toMatchObject(quotaReached);
  const spec = { repos: [], delivery: { zones: toZones('two-rc', 'two-prod') } };
  const replace = async (body: object) => await request('/v1/orgs/acme/products/two', { method: 'PUT', body });
  expect(await (await replace({ spec, generation: 1 })).json()).toMatchObject(quotaReached);
  const described = { ...spec, description: 'Two', delivery: { zones: toZones('two-rc') } };
  expect((await replace({ spec: described, generation: 1 })).status).toBe(200);
});
