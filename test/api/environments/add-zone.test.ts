import { describe, expect, it, vi } from 'vitest';
import { withAcceptedSpec } from '../../../api/http/replace-spec.ts';
import { applyInterrupted } from '../../../src/reconcile/apply-interrupted.ts';
import { ConfigMapKind, NamespaceKind } from '../../../src/kinds/kubernetes.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { zoneReservationName } from '../../../src/rules/products/reservations.ts';
import { createReconcileDeps } from '../../reconcile/reconcile-fixture.ts';
import { forgetResponses } from '../../support/forget-responses.ts';
import { startApi } from '../../support/start-api.ts';
import { captureUpdates } from '../../support/workflows/capture-updates.ts';
import { buildSlo } from '../../rules/slos/build-slo.ts';
import { aShop, send } from './shop-fixture.ts';

const zones = '/v1/orgs/acme/products/shop/zones';
const namespace = 'org-acme';

describe('addZone', () => {
  it('409: refuses the name of a namespace of the cluster that is not the zone’s own', async () => {
    const api = await aShop();
    await api.store.create(NamespaceKind, { metadata: { namespace: '', name: 'cluster-monitoring' } });
    const path = '/v1/orgs/acme/products/shop/zones';
    const body = { name: 'cluster-monitoring', promotionPolicy: 'automatic' };
    const response = await api.request(path, { method: 'POST', body });
    expect(await response.json()).toMatchObject({
      status: 409,
      reason: 'namespace-taken',
      errors: [{ pointer: '/name' }],
    });
    expect((await api.request(`${path}/cluster-monitoring`)).status).toBe(404);
  });

  it('422: points at the fields of its own body', async () => {
    const api = await aShop();
    const add = async (body: object, query = '') => await send(api, `${zones}${query}`, { body });
    const address = { domain: 'nobodys.test', name: 'shop' };
    const reserved = {
      status: 422,
      pointers: ['/name'],
      detail: expect.stringContaining('invalid: /name is reserved'),
    };
    for (const query of ['', '?dryRun=true']) {
      expect(await add({ name: 'argocd' }, query)).toMatchObject(reserved);
      expect(await add({ name: 'shop-demo', addresses: [address] }, query)).toMatchObject({
        status: 422,
        pointers: ['/addresses/0/domain'],
      });
      expect(await add({ name: 'shop-rc' }, query)).toMatchObject({ status: 409, pointers: ['/name'] });
    }
    const till = { name: 'till', spec: { repos: ['acme/till'] } };
    expect((await api.request('/v1/orgs/acme/products', { method: 'POST', body: till })).status).toBe(201);
    for (const query of ['', '?dryRun=true'])
      expect(await add({ name: 'till-rc' }, query)).toMatchObject({
        status: 409,
        reason: 'name-taken',
        pointers: ['/name'],
      });
  });

  it('409: leaves no name reserved when the Product has changed meanwhile', async () => {
    const api = await aShop();
    const ref = { namespace, name: 'shop' };
    const reservation = { namespace: 'service-system', name: zoneReservationName('shop-demo') };
    const { create } = api.store;
    const raced = vi.spyOn(api.store, 'create').mockImplementation(async (kind, object) => {
      const created = await create(kind, object);
      if (object.metadata.name !== reservation.name) return created;
      const { spec, ...product } = await api.store.get(ProductKind, ref);
      await api.store.replace(ProductKind, withAcceptedSpec({ ...product, spec }, { ...spec, repos: ['acme/till'] }));
      return created;
    });
    const refused = await send(api, zones, { body: { name: 'shop-demo' } });
    raced.mockRestore();
    expect(refused).toMatchObject({ status: 409, reason: 'stale-version' });
    expect(await api.store.find(ConfigMapKind, reservation)).toBeUndefined();
    expect((await send(api, zones, { body: { name: 'shop-demo' } })).status).toBe(201);
    expect(await api.store.find(ConfigMapKind, reservation)).toBeDefined();
  });

  it('422: names what is wrong with the Product itself in its message only', async () => {
    const api = await aShop();
    const ref = { namespace, name: 'shop' };
    const { spec, ...product } = await api.store.get(ProductKind, ref);
    await api.store.replace(ProductKind, { ...product, spec: { ...spec, repos: ['acme/gitops'] } });
    const refused = await send(api, zones, { body: { name: 'shop-demo' } });
    expect(refused).toMatchObject({ status: 422, pointers: [] });
    expect(refused.detail).toContain('/spec/repos/0 is the gitops repo');
  });

  it('201: completes a request that was interrupted, for its own Idempotency-Key only', async () => {
    const { temporal, signals } = captureUpdates();
    const api = await startApi({ role: 'org-admin', temporal });
    const spec = { repos: [], delivery: { zones: [{ name: 'shop-rc', promotionPolicy: 'automatic' }] } };
    const body = { name: 'shop', spec };
    expect((await api.request('/v1/orgs/acme/products', { method: 'POST', body })).status).toBe(201);
    const add = async (key: string, added: object) => {
      const response = await api.request(zones, { method: 'POST', body: added, headers: { 'Idempotency-Key': key } });
      await forgetResponses(api.store);
      return { status: response.status, body: (await response.json()) as unknown };
    };
    // The second attempt would otherwise add the next zone of the pair, or find none to add.
    const first = await add('one', {});
    expect(first).toMatchObject({ status: 201, body: { name: 'shop-prod' } });
    signals.length = 0;
    expect(await add('one', {})).toEqual(first);
    expect(signals).toMatchObject([{ workflowId: 'manage-zone/acme/shop/shop-prod', signal: 'applySettings' }]);
    expect((await add('two', { name: 'shop-prod' })).status).toBe(409);
    const { delivery } = (await api.store.get(ProductKind, { namespace, name: 'shop' })).spec;
    expect(delivery.zones.map(({ name }) => name)).toEqual(['shop-rc', 'shop-prod']);
  });

  it('201: signals the loops of alert rules when the Product has SLOs', async () => {
    const { temporal, signals } = captureUpdates();
    const api = await aShop('org-admin', { temporal });
    const product = await api.store.get(ProductKind, { namespace, name: 'shop' });
    await api.store.replace(ProductKind, { ...product, spec: { ...product.spec, slos: [buildSlo()] } });
    signals.length = 0;
    expect((await send(api, zones, { body: { name: 'shop-demo' } })).status).toBe(201);
    expect(signals.map(({ signal }) => signal)).toEqual(['applySettings', 'slosChanged', 'alertRulesChanged']);
  });

  it('422: adds no zone beyond those that a Product may have', async () => {
    const api = await aShop();
    for (const index of Array.from({ length: 8 }).keys())
      expect((await api.request(zones, { method: 'POST', body: { name: `shop-${index}` } })).status).toBe(201);
    const refused = await send(api, zones, { body: { name: 'shop-more' } });
    expect(refused).toMatchObject({ status: 422, pointers: [] });
    expect(refused.detail).toContain('has 10 zones');
  });

  it('201: tells the workflow of the zone to write its files; 500: hides no fault of that', async () => {
    const { temporal, signals } = captureUpdates();
    const api = await aShop('org-admin', {
      temporal,
      log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
    });
    expect((await send(api, zones, { body: { name: 'shop-demo' } })).status).toBe(201);
    expect(signals).toEqual([
      { workflowId: 'manage-zone/acme/shop/shop-demo', signal: 'applySettings', args: [{ generation: 2 }] },
    ]);
    Object.assign(temporal.workflow, { signalWithStart: async () => await Promise.reject(new Error('A fault.')) });
    expect((await send(api, zones, { body: { name: 'shop-more' } })).status).toBe(500);
  });

  it('201: writes the files of zones later that were added while Temporal was unavailable', async () => {
    const api = await aShop();
    const names = ['shop-demo', 'shop-more'];
    for (const name of names) expect((await send(api, zones, { body: { name } })).status).toBe(201);
    const { deps, calls } = await createReconcileDeps();
    const sweep = async () =>
      await applyInterrupted({ ...deps, store: api.store, now: () => new Date(Date.now() + 60_000) });
    await sweep();
    expect(calls).toEqual(
      names.map((name) => ({
        type: 'manageZone',
        workflowId: `manage-zone/acme/shop/${name}`,
        signal: 'applySettings',
      })),
    );
    await sweep();
    expect(calls).toHaveLength(2);
  });

  it('201: adds the missing production zone for an empty body', async () => {
    const api = await aShop();
    const body = {
      spec: { repos: [], delivery: { zones: [{ name: 'shop-rc', promotionPolicy: 'automatic' }] } },
      generation: 1,
    };
    expect((await api.request('/v1/orgs/acme/products/shop', { method: 'PUT', body })).status).toBe(200);
    const response = await api.request(zones, { method: 'POST', body: {} });
    expect(response.status).toBe(201);
    expect(response.headers.get('Location')).toBe(`/api${zones}/shop-prod`);
    expect(await response.json()).toMatchObject({
      name: 'shop-prod',
      spec: { promotionPolicy: 'after-approval', access: 'signed-in' },
    });
    expect(await send(api, zones, { body: {} })).toMatchObject({ status: 422, pointers: ['/name'] });
  });

  it('201: adds the missing pre-production zone for an empty body, open to everyone', async () => {
    const api = await startApi({ role: 'org-admin' });
    const spec = { repos: [], delivery: { zones: [{ name: 'shop-prod' }] } };
    const created = await api.request('/v1/orgs/acme/products', { method: 'POST', body: { name: 'shop', spec } });
    expect(await created.json()).toMatchObject({
      spec: { delivery: { zones: [{ name: 'shop-prod', promotionPolicy: 'after-approval' }] } },
    });
    const response = await api.request(zones, { method: 'POST', body: {} });
    expect(await response.json()).toMatchObject({
      name: 'shop-rc',
      spec: { promotionPolicy: 'automatic', access: 'public' },
    });
  });

  it('422: requires a workload cluster of the installation', async () => {
    const api = await aShop();
    const add = async (cluster: string) =>
      await send(api, '/v1/orgs/acme/products/shop/zones', {
        method: 'POST',
        body: { name: `shop-${cluster}`, promotionPolicy: 'automatic', cluster },
      });
    const refused = await add('unknown');
    expect(refused).toMatchObject({ status: 422, pointers: ['/cluster'] });
    expect(refused.detail).toMatch(/is not a workload cluster of this installation: .*apart/);
    expect((await add('apart')).status).toBe(201);
  });

  it('201: keeps the release zones of the Product', async () => {
    const api = await aShop();
    const ref = { namespace, name: 'shop' };
    const product = await api.store.get(ProductKind, ref);
    const delivery = { ...product.spec.delivery, releaseZones: ['shop-rc'] };
    await api.store.replace(ProductKind, { ...product, spec: { ...product.spec, delivery } });
    expect((await api.request(zones, { method: 'POST', body: { name: 'shop-eu' } })).status).toBe(201);
    expect((await api.store.get(ProductKind, ref)).spec.delivery.releaseZones).toEqual(['shop-rc']);
  });
});
