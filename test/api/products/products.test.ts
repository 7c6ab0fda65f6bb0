import { describe, expect, it, vi } from 'vitest';
import { withAcceptedSpec } from '../../../api/http/replace-spec.ts';
import { applyInterrupted } from '../../../src/reconcile/apply-interrupted.ts';
import { applyingMark } from '../../../src/reconcile/applying-mark.ts';
import { ConfigMapKind } from '../../../src/kinds/kubernetes.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { zoneReservationName } from '../../../src/rules/products/reservations.ts';
import { createReconcileDeps } from '../../reconcile/reconcile-fixture.ts';
import { buildSlo } from '../../rules/slos/build-slo.ts';
import { captureStarts } from '../../support/workflows/capture-starts.ts';
import { captureUpdates } from '../../support/workflows/capture-updates.ts';
import { createOrg, startApi, type ApiHarness } from '../../support/start-api.ts';

type View = {
  resourceVersion: string;
  generation: number;
  spec: { repos: string[]; delivery: { zones: { name: string }[] } };
};
type Body = { name?: string; spec: object; generation?: number; resourceVersion?: string };

const shop = { name: 'shop', spec: { repos: ['acme/shop'] } };
const post = async ({ request }: ApiHarness, body: Body, org = 'acme') =>
  request(`/v1/orgs/${org}/products`, { method: 'POST', body });
const put = async ({ request }: ApiHarness, body: Body, headers: Record<string, string> = {}) =>
  request('/v1/orgs/acme/products/shop', { method: 'PUT', body, headers });

async function withShop() {
  const api = await startApi();
  const response = await post(api, shop);
  return { api, response, view: (await response.json()) as View };
}

describe('listProducts', () => {
  it('200: returns the Products of the org, page by page', async () => {
    const { api } = await withShop();
    await post(api, { name: 'till', spec: { repos: [] } });
    const list = async (query: string) =>
      (await (await api.request(`/v1/orgs/acme/products${query}`)).json()) as { items: object[]; continue?: string };
    const first = await list('?limit=1');
    expect(first.items).toMatchObject([{ kind: 'Product', name: 'shop', org: 'acme' }]);
    const second = await list(`?continue=${encodeURIComponent(first.continue ?? '')}`);
    expect(second).toMatchObject({ items: [{ name: 'till' }] });
  });
});

describe('getProduct', () => {
  it('200: returns the Product with its ETag', async () => {
    const { api, view } = await withShop();
    const response = await api.request('/v1/orgs/acme/products/shop');
    expect(response.headers.get('ETag')?.split('.')[0]).toBe(`"${view.resourceVersion}`);
    expect(await response.json()).toEqual(view);
  });

  it('404: names the missing Product', async () => {
    const { api } = await withShop();
    const response = await api.request('/v1/orgs/acme/products/till');
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ detail: 'No Product named "till" in org "acme".' });
  });
});

describe('deleteProduct', () => {
  it('412: rejects a stale If-Match', async () => {
    const { api } = await withShop();
    const headers = { 'If-Match': '"1"' };
    expect((await api.request('/v1/orgs/acme/products/shop', { method: 'DELETE', headers })).status).toBe(412);
  });

  it('202: returns the Product as it is now, marked as being deleted, and blocks its operations', async () => {
    const { temporal, starts } = captureStarts();
    const api = await startApi({ temporal });
    await post(api, shop);
    const response = await api.request('/v1/orgs/acme/products/shop', { method: 'DELETE' });
    expect(response.status).toBe(202);
    expect(await response.json()).toMatchObject({
      status: { deletionMessage: 'its zones are being removed', deletedBy: expect.stringContaining('@') },
      actions: expect.arrayContaining([
        expect.objectContaining({ name: 'startRun', allowed: false, message: 'The Product is being deleted.' }),
      ]),
    });
    expect(starts).toMatchObject([{ type: 'deleteProduct' }]);
  });

  it('503: keeps the Product while Temporal is unavailable', async () => {
    const { api } = await withShop();
    expect((await api.request('/v1/orgs/acme/products/shop', { method: 'DELETE' })).status).toBe(503);
    expect((await api.request('/v1/orgs/acme/products/shop')).status).toBe(200);
  });
});

describe('createProduct', () => {
  it('201: creates the default pair of zones', async () => {
    const { response, view } = await withShop();
    expect(response.status).toBe(201);
    expect(response.headers.get('Location')).toBe('/api/v1/orgs/acme/products/shop');
    expect(view.spec.delivery.zones).toEqual([
      { name: 'shop-rc', promotionPolicy: 'automatic', access: 'public' },
      { name: 'shop-prod', promotionPolicy: 'after-approval', access: 'signed-in' },
    ]);
  });

  it('409: does not reveal which org holds the name', async () => {
    const { api } = await withShop();
    await createOrg(api.store, 'umbrella');
    const response = await post(api, { name: 'shop', spec: { repos: ['umbrella/shop'] } }, 'umbrella');
    expect(response.status).toBe(409);
    const { detail } = (await response.json()) as { detail: string };
    expect(detail).toBe(
      'The Product name "shop" is taken in this installation. Choose another, or ask a platform admin for its owner.',
    );
  });

  it('409: rejects a zone name that another Product holds', async () => {
    const { api } = await withShop();
    const zones = [{ name: 'shop-prod', promotionPolicy: 'automatic' }];
    const response = await post(api, { name: 'other', spec: { repos: [], delivery: { zones } } });
    expect(await response.json()).toMatchObject({ status: 409, errors: [{ pointer: '/spec/delivery/zones/0/name' }] });
  });

  it('409: points at the name of the request when a zone is taken that is made from it', async () => {
    const { api } = await withShop();
    const zones = [{ name: 'other-prod' }];
    expect((await post(api, { name: 'first', spec: { repos: [], delivery: { zones } } })).status).toBe(201);
    const response = await post(api, { name: 'other', spec: { repos: [] } });
    expect(await response.json()).toMatchObject({ status: 409, errors: [{ pointer: '/name' }] });
  });

  it('409: gives a name to one of two orgs that request it concurrently', async () => {
    const api = await startApi();
    await createOrg(api.store, 'umbrella');
    const both = await Promise.all([
      post(api, shop),
      post(api, { name: 'shop', spec: { repos: ['umbrella/shop'] } }, 'umbrella'),
    ]);
    expect(both.map(({ status }) => status).toSorted((first, second) => first - second)).toEqual([201, 409]);
  });

  it('201: releases a reservation whose Product was never created', async () => {
    let now = Date.parse('2027-01-01T00:00:00Z');
    const api = await startApi({ now: () => new Date(now) });
    await createOrg(api.store, 'umbrella');
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
    [
      '/spec/delivery/zones/0/name',
      { repos: [], delivery: { zones: [{ name: 'org-acme', promotionPolicy: 'automatic' }] } },
    ],
    [
      '/spec/delivery/zones/0/name',
      { repos: [], delivery: { zones: [{ name: 'service-system', promotionPolicy: 'automatic' }] } },
    ],
    [
      '/spec/delivery/zones/1/name',
      {
        repos: [],
        delivery: {
          zones: [
            { name: 'z', promotionPolicy: 'automatic' },
            { name: 'z', promotionPolicy: 'automatic' },
          ],
        },
      },
    ],
    ['/spec/repos/0', { repos: ['Acme/Shop'] }],
    ['/spec/repos/0', { repos: ['acme/gitops.git'] }],
    ['/spec/repos/0', { repos: ['acme/.GIT'] }],
    ['/spec/repos/1', { repos: ['acme/new', 'acme/new'] }],
    ['/spec/repos/0', { repos: ['Acme/GitOps'] }],
    ['/spec/repos', {}],
    ['/spec/colour', { repos: [], colour: 'red' }],
    [
      '/spec/delivery/zones/0/replicas',
      { repos: [], delivery: { zones: [{ name: 'z', promotionPolicy: 'automatic', replicas: 21 }] } },
    ],
  ])('422: points at the invalid field %s', async (pointer, spec) => {
    const { api } = await withShop();
    const response = await post(api, { name: 'other', spec });
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ errors: [{ pointer }] });
  });

  it('422: accepts the gitops repo of no org as a repo, and neither does replaceProduct', async () => {
    const { api, view } = await withShop();
    await createOrg(api.store, 'umbrella');
    const refusal = {
      status: 422,
      errors: [{ pointer: '/spec/repos/0', detail: expect.stringContaining('is the gitops repo of an org') }],
    };
    const repos = ['Umbrella/GitOps'];
    expect(await (await post(api, { name: 'other', spec: { repos } })).json()).toMatchObject(refusal);
    expect(await (await put(api, { spec: { ...view.spec, repos }, generation: view.generation })).json()).toMatchObject(
      refusal,
    );
  });
});

describe('replaceProduct', () => {
  it('200: accepts the generation that was read although the status changed', async () => {
    const { api, view } = await withShop();
    await api.store.updateStatus(ProductKind, { namespace: 'org-acme', name: 'shop' }, () => ({
      zones: [{ name: 'shop-rc' }],
    }));
    const response = await put(api, { spec: { ...view.spec, description: 'Sells' }, generation: view.generation });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ generation: view.generation + 1, spec: { description: 'Sells' } });
  });

  it('409: rejects a stale generation and resourceVersion; 412: rejects a stale If-Match', async () => {
    const { api, view } = await withShop();
    await put(api, { spec: { ...view.spec, description: 'Sells' }, generation: view.generation });
    expect((await put(api, { spec: view.spec, generation: view.generation })).status).toBe(409);
    expect((await put(api, { spec: view.spec, resourceVersion: view.resourceVersion })).status).toBe(409);
    expect((await put(api, { spec: view.spec }, { 'If-Match': `"${view.resourceVersion}"` })).status).toBe(412);
  });

  it('200: accepts the ETag of the creation, and of a replacement, as If-Match', async () => {
    const { api, response, view } = await withShop();
    let etag = response.headers.get('ETag') ?? '';
    for (const description of ['Sells', 'Sells more']) {
      const replaced = await put(api, { spec: { ...view.spec, description } }, { 'If-Match': etag });
      expect(replaced.status).toBe(200);
      etag = replaced.headers.get('ETag') ?? '';
    }
    expect(etag).toBe((await api.request('/v1/orgs/acme/products/shop')).headers.get('ETag'));
  });

  it('503: tells that the loops of new SLOs were not woken, so that the caller tries again', async () => {
    const { api, view } = await withShop();
    const spec = { ...view.spec, slos: [buildSlo()] };
    expect((await put(api, { spec, generation: view.generation })).status).toBe(503);
  });

  it('503: a spec that was saved while Temporal was unavailable is applied later, also when the caller gives up', async () => {
    const { api, view } = await withShop();
    const ref = { namespace: 'org-acme', name: 'shop' };
    const appliedSettings = { hosts: [] } as never;
    await api.store.updateStatus(ProductKind, ref, () => ({ zones: [{ name: 'shop-rc', appliedSettings }] }));
    const zones = view.spec.delivery.zones.slice(0, 1);
    const replacement = { spec: { ...view.spec, delivery: { zones } }, generation: view.generation };
    expect((await put(api, replacement)).status).toBe(503);
    expect((await api.store.get(ProductKind, ref)).spec.delivery.zones).toEqual(zones);
    const { deps, calls } = await createReconcileDeps();
    await applyInterrupted({ ...deps, store: api.store, now: () => new Date(Date.now() + 60_000) });
    expect(calls).toEqual([
      { type: 'manageZone', workflowId: 'manage-zone/acme/shop/shop-rc', signal: 'applySettings' },
    ]);
  });

  it('200: a later request applies its own change only, so what was interrupted before is applied later', async () => {
    const { temporal } = captureUpdates();
    const api = await startApi({ temporal });
    const view = (await (await post(api, shop)).json()) as View;
    const ref = { namespace: 'org-acme', name: 'shop' };
    const appliedSettings = {
      replicas: 1,
      ingress: { hosts: [], access: 'none' as const },
      resources: {},
      persistence: [],
      strategy: 'RollingUpdate' as const,
    };
    await api.store.updateStatus(ProductKind, ref, () => ({ zones: [{ name: 'shop-rc', appliedSettings }] }));
    const zones = view.spec.delivery.zones.slice(0, 1);
    // The process has ended after the write.
    const product = await api.store.get(ProductKind, ref);
    const annotations = { ...product.metadata.annotations, ...applyingMark(new Date()) };
    const spec = { ...product.spec, delivery: { zones } };
    await api.store.replace(ProductKind, withAcceptedSpec(product, spec, annotations));
    const later = [
      async () => await put(api, { spec, generation: view.generation + 1 }),
      async () =>
        await api.request('/v1/orgs/acme/products/shop/zones', { method: 'POST', body: { name: 'shop-demo' } }),
      async () =>
        await api.request('/v1/orgs/acme/products/shop/zones/shop-demo?confirm=shop-demo', { method: 'DELETE' }),
    ];
    for (const request of later) expect((await request()).ok).toBe(true);
    const { deps, calls } = await createReconcileDeps();
    await applyInterrupted({ ...deps, store: api.store, now: () => new Date(Date.now() + 60_000) });
    expect(calls).toContainEqual(expect.objectContaining({ workflowId: 'manage-zone/acme/shop/shop-rc' }));
    const reservation = { namespace: 'service-system', name: zoneReservationName('shop-prod') };
    expect(await api.store.find(ConfigMapKind, reservation)).toBeUndefined();
  });

  it('428: requires a precondition', async () => {
    const { api, view } = await withShop();
    expect((await put(api, { spec: view.spec })).status).toBe(428);
  });

  it('200: releases the name of a zone that the new spec omits', async () => {
    const { api, view } = await withShop();
    const zones = view.spec.delivery.zones.slice(0, 1);
    expect((await put(api, { spec: { ...view.spec, delivery: { zones } }, generation: view.generation })).status).toBe(
      200,
    );
    const other = {
      name: 'other',
      spec: { repos: [], delivery: { zones: [{ name: 'shop-prod', promotionPolicy: 'automatic' }] } },
    };
    expect((await post(api, other)).status).toBe(201);
  });

  it('409: replaces no spec that it was not checked against, and leaves no name reserved', async () => {
    const { api, view } = await withShop();
    const demo = { name: 'shop-demo', promotionPolicy: 'automatic' };
    const reservation = { namespace: 'service-system', name: zoneReservationName('shop-demo') };
    const { create } = api.store;
    const raced = vi.spyOn(api.store, 'create').mockImplementation(async (kind, object) => {
      const created = await create(kind, object);
      if (object.metadata.name !== reservation.name) return created;
      const product = await api.store.get(ProductKind, { namespace: 'org-acme', name: 'shop' });
      await api.store.replace(ProductKind, withAcceptedSpec(product, { ...product.spec, description: 'Sells' }));
      return created;
    });
    const spec = { ...view.spec, delivery: { zones: [...view.spec.delivery.zones, demo] } };
    const refused = await put(api, { spec }, { 'If-Match': '*' });
    raced.mockRestore();
    expect(await refused.json()).toMatchObject({ status: 409, reason: 'stale-version' });
    expect(await api.store.find(ConfigMapKind, reservation)).toBeUndefined();
    expect((await put(api, { spec }, { 'If-Match': '*' })).status).toBe(200);
    expect(await api.store.find(ConfigMapKind, reservation)).toBeDefined();
  });

  it('409: rejects a spec that omits a zone with a Release', async () => {
    const { api, view } = await withShop();
    await api.store.updateStatus(ProductKind, { namespace: 'org-acme', name: 'shop' }, () => ({
      zones: [{ name: 'shop-prod', release: 'shop-v1.0.0' }],
    }));
    const zones = view.spec.delivery.zones.slice(0, 1);
    const putWithoutProd = async () =>
      (await put(api, { spec: { ...view.spec, delivery: { zones } }, generation: view.generation })).status;
    expect(await putWithoutProd()).toBe(409);
    // A zone that was never deployed can be omitted while another runs.
    await api.store.updateStatus(ProductKind, { namespace: 'org-acme', name: 'shop' }, () => ({
      zones: [{ name: 'shop-rc', release: 'shop-v1.0.0' }, { name: 'shop-prod' }],
    }));
    expect(await putWithoutProd()).toBe(200);
  });
});

describe('an operation on a Product that is being deleted', () => {
  it('409: starts no new work', async () => {
    const { api, view } = await withShop();
    await api.store.updateStatus(ProductKind, { namespace: 'org-acme', name: 'shop' }, () => ({
      deletionMessage: 'The Product is being deleted.',
    }));
    expect((await put(api, { spec: view.spec, generation: view.generation })).status).toBe(409);
    const body = { agentWorkflow: 'change', product: 'shop', issue: 1 };
    expect((await api.request('/v1/orgs/acme/agentworkflowruns', { method: 'POST', body })).status).toBe(409);
  });
});
