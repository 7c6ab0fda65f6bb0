import { describe, expect, it } from 'vitest';
import { ProductKind } from '../../../src/rules/catalog/kinds.ts';
import { addOrg, startApi, type StartedApi } from '../../support/start-api.ts';

type View = {
  resourceVersion: string;
  generation: number;
  spec: { repos: string[]; delivery: { zones: { name: string }[] } };
};
type Body = { name?: string; spec: object; generation?: number; resourceVersion?: string };

const shop = { name: 'shop', spec: { repos: ['acme/shop'] } };
const post = async ({ request }: StartedApi, body: Body, org = 'acme') =>
  request(`/v1/orgs/${org}/products`, { method: 'POST', body });
const put = async ({ request }: StartedApi, body: Body, headers: Record<string, string> = {}) =>
  request('/v1/orgs/acme/products/shop', { method: 'PUT', body, headers });

async function withShop() {
  const api = await startApi();
  const response = await post(api, shop);
  return { api, response, view: (await response.json()) as View };
}

describe('creating a Product', () => {
  it('201: gives it the usual pair of zones', async () => {
    const { response, view } = await withShop();
    expect(response.status).toBe(201);
    expect(response.headers.get('Location')).toBe('/api/v1/orgs/acme/products/shop');
    expect(view.spec.delivery.zones).toEqual([
      { name: 'shop-rc', arrival: 'automatic' },
      { name: 'shop-prod', arrival: 'after-approval' },
    ]);
  });

  it('409: says whom to ask about a name that another org has, never whose it is', async () => {
    const { api } = await withShop();
    await addOrg(api.store, 'umbrella');
    const response = await post(api, { name: 'shop', spec: { repos: ['umbrella/shop'] } }, 'umbrella');
    expect(response.status).toBe(409);
    const { detail } = (await response.json()) as { detail: string };
    expect(detail).toBe(
      'The Product name "shop" is taken in this installation. Choose another, or ask a platform admin who has it.',
    );
  });

  it('409: takes no zone that another Product has', async () => {
    const { api } = await withShop();
    const zones = [{ name: 'shop-prod', arrival: 'automatic' }];
    expect((await post(api, { name: 'other', spec: { repos: [], delivery: { zones } } })).status).toBe(409);
  });

  it('409: one of two orgs gets a name that both ask for at once', async () => {
    const api = await startApi();
    await addOrg(api.store, 'umbrella');
    const both = await Promise.all([
      post(api, shop),
      post(api, { name: 'shop', spec: { repos: ['umbrella/shop'] } }, 'umbrella'),
    ]);
    expect(both.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([201, 409]);
  });

  it('takes over a name whose taker never came to make its Product', async () => {
    let now = Date.parse('2027-01-01T00:00:00Z');
    const api = await startApi({ now: () => new Date(now) });
    await addOrg(api.store, 'umbrella');
    await post(api, shop);
    const { metadata, ...product } = await api.store.get(ProductKind, { namespace: 'org-acme', name: 'shop' });
    await api.store.replace(ProductKind, { ...product, metadata: { ...metadata, finalizers: [] } });
    await api.store.delete(ProductKind, metadata);
    const other = { name: 'shop', spec: { repos: ['umbrella/shop'] } };
    expect((await post(api, other, 'umbrella')).status).toBe(409);
    now += 10 * 60_000;
    expect((await post(api, other, 'umbrella')).status).toBe(201);
  });

  it.each([
    ['/spec/delivery/zones/0/name', { repos: [], delivery: { zones: [{ name: 'org-acme', arrival: 'automatic' }] } }],
    [
      '/spec/delivery/zones/0/name',
      { repos: [], delivery: { zones: [{ name: 'service-system', arrival: 'automatic' }] } },
    ],
    [
      '/spec/delivery/zones/1/name',
      {
        repos: [],
        delivery: {
          zones: [
            { name: 'z', arrival: 'automatic' },
            { name: 'z', arrival: 'automatic' },
          ],
        },
      },
    ],
    ['/spec/repos/0', { repos: ['Acme/Shop'] }],
    ['/spec/repos/1', { repos: ['acme/new', 'acme/new'] }],
    ['/spec/repos', {}],
    ['/spec/colour', { repos: [], colour: 'red' }],
    [
      '/spec/delivery/zones/0/replicas',
      { repos: [], delivery: { zones: [{ name: 'z', arrival: 'automatic', replicas: 21 }] } },
    ],
  ])('422: names %s where it is wrong', async (pointer, spec) => {
    const { api } = await withShop();
    const response = await post(api, { name: 'other', spec });
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ errors: [{ pointer }] });
  });
});

describe('replacing a Product', () => {
  it('200: takes the generation that was read, whatever has happened to its status', async () => {
    const { api, view } = await withShop();
    await api.store.updateStatus(ProductKind, { namespace: 'org-acme', name: 'shop' }, () => ({
      zones: [{ name: 'shop-rc' }],
    }));
    const response = await put(api, { spec: { ...view.spec, description: 'Sells' }, generation: view.generation });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ generation: view.generation + 1, spec: { description: 'Sells' } });
  });

  it('409: refuses a stale generation, resourceVersion and If-Match', async () => {
    const { api, view } = await withShop();
    await put(api, { spec: { ...view.spec, description: 'Sells' }, generation: view.generation });
    expect((await put(api, { spec: view.spec, generation: view.generation })).status).toBe(409);
    expect((await put(api, { spec: view.spec, resourceVersion: view.resourceVersion })).status).toBe(409);
    expect((await put(api, { spec: view.spec }, { 'If-Match': `"${view.resourceVersion}"` })).status).toBe(409);
  });

  it('200: takes the ETag as If-Match', async () => {
    const { api, view } = await withShop();
    const etag = (await api.request('/v1/orgs/acme/products/shop')).headers.get('ETag') ?? '';
    expect((await put(api, { spec: view.spec }, { 'If-Match': etag })).status).toBe(200);
  });

  it('422: wants to know which version was read', async () => {
    const { api, view } = await withShop();
    expect((await put(api, { spec: view.spec })).status).toBe(422);
  });

  it('gives back the name of a zone that it leaves out', async () => {
    const { api, view } = await withShop();
    const zones = view.spec.delivery.zones.slice(0, 1);
    expect((await put(api, { spec: { ...view.spec, delivery: { zones } }, generation: view.generation })).status).toBe(
      200,
    );
    const other = {
      name: 'other',
      spec: { repos: [], delivery: { zones: [{ name: 'shop-prod', arrival: 'automatic' }] } },
    };
    expect((await post(api, other)).status).toBe(201);
  });

  it('409: leaves out no zone that runs something', async () => {
    const { api, view } = await withShop();
    await api.store.updateStatus(ProductKind, { namespace: 'org-acme', name: 'shop' }, () => ({
      zones: [{ name: 'shop-prod', release: 'shop-v1.0.0' }],
    }));
    const zones = view.spec.delivery.zones.slice(0, 1);
    expect((await put(api, { spec: { ...view.spec, delivery: { zones } }, generation: view.generation })).status).toBe(
      409,
    );
  });
});

describe('a Product', () => {
  it('shows each of its zones as it runs', async () => {
    const { api } = await withShop();
    const running = {
      name: 'shop-rc',
      release: 'shop-v1.0.0',
      arriving: { release: 'shop-v1.1.0', version: 'v1.1.0', phase: 'WaitingForApproval' },
    };
    await api.store.updateStatus(ProductKind, { namespace: 'org-acme', name: 'shop' }, () => ({ zones: [running] }));
    const { items } = (await (await api.request('/v1/orgs/acme/products/shop/zones')).json()) as { items: object[] };
    expect(items).toMatchObject([
      {
        kind: 'Zone',
        name: 'shop-rc',
        status: { ...running, address: 'http://shop-rc.localhost:8081' },
        actions: [
          { name: 'approvePromotion' },
          { name: 'rejectPromotion' },
          { name: 'promoteToZone' },
          { name: 'freezeZone' },
          { name: 'removeZone' },
        ],
      },
      { kind: 'Zone', name: 'shop-prod', status: { address: 'http://shop-prod.localhost:8081' } },
    ]);
    expect((await api.request('/v1/orgs/acme/products/shop/zones/shop-test')).status).toBe(404);
  });

  it('409: that is being deleted begins nothing more', async () => {
    const { api, view } = await withShop();
    await api.store.updateStatus(ProductKind, { namespace: 'org-acme', name: 'shop' }, () => ({ deletion: 'going' }));
    expect((await put(api, { spec: view.spec, generation: view.generation })).status).toBe(409);
    const body = { agentWorkflow: 'change', product: 'shop', issue: 1 };
    expect((await api.request('/v1/orgs/acme/agentworkflowruns', { method: 'POST', body })).status).toBe(409);
  });

  it('409: reads no issues while its org is not connected to the code host', async () => {
    const { api } = await withShop();
    const response = await api.request('/v1/orgs/acme/products/shop/issues');
    expect(response.status).toBe(409);
    expect(await response.json()).toMatchObject({
      detail: expect.stringContaining('is not connected to its code host'),
    });
  });
});
