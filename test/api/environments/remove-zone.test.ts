import { expect, it } from 'vitest';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { captureUpdates } from '../../support/workflows/capture-updates.ts';
import { buildSlo } from '../../rules/slos/build-slo.ts';
import { aShop } from './shop-fixture.ts';

const zones = '/v1/orgs/acme/products/shop/zones';
const ref = { namespace: 'org-acme', name: 'shop' };

it('202: records who first removed the zone, keeps what runs in it and in the others, and tells its workflow', async () => {
  const { temporal, signals } = captureUpdates();
  const now = new Date('2027-01-01T00:00:00Z');
  const api = await aShop('org-admin', { temporal, now: () => now });
  const running = [
    { name: 'shop-rc', release: 'shop-v1.1.0' },
    { name: 'shop-prod', release: 'shop-v1.0.0' },
  ];
  await api.store.updateStatus(ProductKind, ref, () => ({ zones: running }));
  const remove = async (role: 'org-admin' | 'platform-admin') =>
    (await api.request(`${zones}/shop-prod?confirm=shop-prod`, { method: 'DELETE', role })).status;
  expect([await remove('org-admin'), await remove('platform-admin')]).toEqual([202, 202]);
  const { spec, status } = await api.store.get(ProductKind, ref);
  expect(spec.delivery.zones.map(({ name }) => name)).toEqual(['shop-rc']);
  const removal = {
    by: 'org-admin@example.com',
    since: now.toISOString(),
    message: 'Removal was requested.',
    remaining: [],
  };
  expect(status?.zones).toEqual([running[0], { ...running[1], removal }]);
  const sent = { workflowId: 'manage-zone/acme/shop/shop-prod', signal: 'removeZone' };
  expect(signals).toEqual([
    { ...sent, args: [{ by: 'org-admin@example.com' }] },
    { ...sent, args: [{ by: 'platform-admin@example.com' }] },
  ]);
});

it('412: keeps a zone of a Product that changed since it was read', async () => {
  const api = await aShop();
  const init = { method: 'DELETE', headers: { 'If-Match': '"0"' } };
  expect((await api.request(`${zones}/shop-prod?confirm=shop-prod`, init)).status).toBe(412);
  const { spec, status } = await api.store.get(ProductKind, ref);
  expect(spec.delivery.zones.map(({ name }) => name)).toEqual(['shop-rc', 'shop-prod']);
  expect(status?.zones ?? []).toEqual([]);
});

it('409: does not leave a zone marked as being removed that another change of the Product has kept', async () => {
  const { temporal, signals } = captureUpdates();
  const api = await aShop('org-admin', { temporal });
  const { updateStatus } = api.store;
  api.store.updateStatus = async (kind, at, update) => {
    api.store.updateStatus = updateStatus;
    const { spec, ...product } = await api.store.get(ProductKind, ref);
    await api.store.replace(ProductKind, { ...product, spec: { ...spec, slos: [buildSlo()] } });
    return await updateStatus(kind, at, update);
  };
  const remove = async () => (await api.request(`${zones}/shop-prod?confirm=shop-prod`, { method: 'DELETE' })).status;
  expect([await remove(), signals]).toEqual([409, []]);
  const { spec, status } = await api.store.get(ProductKind, ref);
  expect(spec.delivery.zones.map(({ name }) => name)).toContain('shop-prod');
  expect(status?.zones).toEqual([{ name: 'shop-prod' }]);
  expect(await remove()).toBe(202);
});

it('202: tells the loops of the alert rules, because the SLOs of the Product measure one zone less', async () => {
  const { temporal, signals } = captureUpdates();
  const api = await aShop('org-admin', { temporal });
  const { spec, ...product } = await api.store.get(ProductKind, ref);
  await api.store.replace(ProductKind, { ...product, spec: { ...spec, slos: [buildSlo()] } });
  const init = { method: 'DELETE' };
  expect((await api.request(`${zones}/shop-prod?confirm=shop-prod`, init)).status).toBe(202);
  expect(signals.map(({ signal }) => signal)).toEqual(['slosChanged', 'alertRulesChanged', 'removeZone']);
});
