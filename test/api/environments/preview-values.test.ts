import { describe, expect, it } from 'vitest';
import { ConfigMapKind } from '../../../src/kinds/kubernetes.ts';
import { formatUpdatedValues } from '../../../src/rules/environments/zone-chart.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { zoneReservationName } from '../../../src/rules/products/reservations.ts';
import { getDesiredSettings } from '../../../src/store/zone-settings.ts';
import { createFolder } from '../../emulators/codehost/codehost-fixture.ts';
import { startApiWithShop } from '../../support/start-api-with-shop.ts';
import { buildDomainSettings } from '../../support/start-api.ts';
import { buildSlo } from '../../rules/slos/build-slo.ts';
import { aShop } from './shop-fixture.ts';

const ref = { namespace: 'org-acme', name: 'shop' };
const path = '/v1/orgs/acme/products/shop';
const valuesPath = 'products/shop/zones/shop-rc/values.yaml';

/** Sets up a zone whose values file is in the gitops repo, with the Release that it runs. */
async function aDeployedShop() {
  const { store, request, shop } = await startApiWithShop({ role: 'org-admin' });
  const { spec } = await store.get(ProductKind, ref);
  const zone = { name: 'shop-rc', promotionPolicy: 'automatic' as const };
  const input = { org: 'acme', address: 'http://shop-rc.localhost:8081', domains: buildDomainSettings() };
  const settings = await getDesiredSettings(store, { ...input, zone: spec.delivery.zones[0] ?? zone });
  const image = { repository: 'registry/shop', digest: 'sha256:1' };
  const release = { name: 'shop-v1.0.0', version: 'v1.0.0', commit: 'c' };
  const files = { [valuesPath]: formatUpdatedValues({ image, release }, settings) };
  await shop.codehost.seedRepository('acme/gitops', await createFolder(files));
  await store.updateStatus(ProductKind, ref, () => ({ zones: [{ name: 'shop-rc', appliedSettings: settings }] }));
  const product = await store.get(ProductKind, ref);
  const [first, second] = product.spec.delivery.zones;
  return {
    store,
    request,
    put: async (
      changes: object,
      query = '?dryRun=true',
      role: 'org-admin' | 'member' = 'org-admin',
      changesOfSecond: object = {},
    ) => {
      const zones = [
        { ...first, ...changes },
        { ...second, ...changesOfSecond },
      ];
      const changed = { ...product.spec, delivery: { zones } };
      const body = { spec: changed, generation: product.metadata.generation };
      return await request(`${path}${query}`, { method: 'PUT', body, role });
    },
    /** Everything that the request could have written. */
    snapshot: async () => [await store.get(ProductKind, ref), (await store.list(ConfigMapKind, {})).items.length],
  };
}

describe('replaceProduct with dryRun', () => {
  it('200: returns the change of the values file, keeps its Release, and writes nothing', async () => {
    const { put, snapshot } = await aDeployedShop();
    const before = await snapshot();
    const response = await put({ replicas: 3 });
    expect(response.status).toBe(200);
    const { dryRun, files } = (await response.json()) as { dryRun: boolean; files: { patch: string }[] };
    expect([dryRun, files]).toEqual([
      true,
      [{ zone: 'shop-rc', repo: 'acme/gitops', path: valuesPath, patch: expect.any(String) }],
    ]);
    const changed = files[0]?.patch.split('\n').filter((line) => /^[-+](?![-+])/.test(line));
    expect(changed).toEqual(['-replicas: 1', '+replicas: 3']);
    expect(await snapshot()).toEqual(before);
  });

  it('200: returns no file if no zone changes', async () => {
    const { put } = await aDeployedShop();
    expect(await (await put({})).json()).toEqual({ dryRun: true, files: [] });
  });

  it('200: returns only zones that have a values file already', async () => {
    const { put, store } = await aDeployedShop();
    await store.updateStatus(ProductKind, ref, ({ status }) => ({
      zones: [...(status?.zones ?? []), { name: 'shop-prod', release: 'shop-v1.0.0' }],
    }));
    const response = await put({ replicas: 3 }, '?dryRun=true', 'org-admin', { replicas: 3 });
    expect(await response.json()).toMatchObject({ files: [{ zone: 'shop-rc' }] });
  });

  it('200: needs no code host if no zone has a values file', async () => {
    const { request } = await aShop();
    const body = { spec: { repos: [], delivery: { zones: [{ name: 'shop-rc', replicas: 2 }] } }, generation: 1 };
    const response = await request(`${path}?dryRun=true`, { method: 'PUT', body });
    expect([response.status, await response.json()]).toEqual([200, { dryRun: true, files: [] }]);
  });

  it('200: returns the change of the alert rules', async () => {
    const { request } = await aShop();
    const { spec, generation } = (await (await request(path)).json()) as { spec: object; generation: number };
    const slos = [buildSlo({ zones: ['shop-rc'] })];
    const preview = await request(`${path}?dryRun=true`, {
      method: 'PUT',
      body: { spec: { ...spec, slos }, generation },
    });
    const { alertRules } = (await preview.json()) as { alertRules: { name: string; patch: string } };
    expect(alertRules.name).toBe('service-slo-shop');
    expect(alertRules.patch).toContain('+kind: PrometheusRule');
    expect(alertRules.patch).toContain('+        - alert: ServiceFastBurn');
    expect(alertRules.patch).not.toMatch(/^-(?!--)/m);
  });

  it('403, 409, 422: refuses what the write refuses', async () => {
    const { put, request } = await aDeployedShop();
    expect((await put({ replicas: 3 }, '?dryRun=true', 'member')).status).toBe(403);
    expect((await put({ replicas: -1 })).status).toBe(422);
    expect((await put({}, '?dryRun=maybe')).status).toBe(422);
    const stale = { spec: { repos: [], delivery: { zones: [] } }, generation: 99 };
    expect((await request(`${path}?dryRun=true`, { method: 'PUT', body: stale })).status).toBe(409);
  });
});

describe('addZone with dryRun', () => {
  it('200: returns the values file that the zone would get, and writes nothing', async () => {
    const { request, snapshot } = await aDeployedShop();
    const before = await snapshot();
    const body = { name: 'shop-demo', promotionPolicy: 'automatic', replicas: 2 };
    const response = await request(`${path}/zones?dryRun=true`, { method: 'POST', body });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      files: [{ path: 'products/shop/zones/shop-demo/values.yaml', patch: expect.stringContaining('+replicas: 2') }],
    });
    expect(await snapshot()).toEqual(before);
  });

  it('200: returns the alert rules of a zone that becomes the last, which SLOs measure by default', async () => {
    const { request, store } = await aDeployedShop();
    const product = await store.get(ProductKind, ref);
    await store.replace(ProductKind, { ...product, spec: { ...product.spec, slos: [buildSlo()] } });
    const response = await request(`${path}/zones?dryRun=true`, { method: 'POST', body: { name: 'shop-eu' } });
    const { alertRules } = (await response.json()) as { alertRules: { patch: string } };
    expect(alertRules.patch).toContain('+    - name: shop/shop-eu/burn');
    expect(alertRules.patch).toContain('-    - name: shop/shop-prod/burn');
  });

  it('200: returns the whole file before the first promotion has created the gitops repo', async () => {
    const { request } = await startApiWithShop({ role: 'org-admin' });
    const response = await request(`${path}/zones?dryRun=true`, { method: 'POST', body: { name: 'shop-demo' } });
    const { files } = (await response.json()) as { files: { zone: string; patch: string }[] };
    expect(files).toMatchObject([{ zone: 'shop-demo', patch: expect.stringContaining('+replicas: 1') }]);
    expect(files[0]?.patch).not.toMatch(/^-(?!--)/m);
  });

  it('409: refuses a name that another org has reserved', async () => {
    const { request, store } = await aDeployedShop();
    await store.create(ConfigMapKind, {
      metadata: { namespace: 'service-system', name: zoneReservationName('shop-demo') },
      data: { org: 'other', product: 'shop', reservedAt: new Date().toISOString() },
    });
    const body = { name: 'shop-demo', promotionPolicy: 'automatic' };
    const response = await request(`${path}/zones?dryRun=true`, { method: 'POST', body });
    expect([response.status, await response.json()]).toEqual([409, expect.objectContaining({ reason: 'name-taken' })]);
  });
});
