import { describe, expect, it } from 'vitest';
import { ProductKind, type ZoneStatus } from '../../../src/rules/products/kinds.ts';
import { ReleaseKind, type ReleaseStatus } from '../../../src/rules/releases/kinds.ts';
import type { ApiHarness } from '../../support/start-api.ts';
import { aShop } from './shop-fixture.ts';

const zones = '/v1/orgs/acme/products/shop/zones';
const namespace = 'org-acme';
const at = '2026-01-02T03:04:05Z';
type Listed = { name: string; offeredRelease?: { name: string }; actions: { name: string }[] };

async function aRelease({ store }: ApiHarness, status: Partial<ReleaseStatus>, startedBy = 'jo@example.com') {
  const ref = { namespace, name: 'shop-v1.0.0' };
  const spec = { product: 'shop', repo: 'acme/shop', commit: 'c', version: 'v1.0.0', startedBy };
  await store.create(ReleaseKind, { metadata: ref, spec });
  await store.updateStatus(ReleaseKind, ref, () => ({ phase: 'Promoting' as const, zones: [], ...status }));
}

async function setZones({ store }: ApiHarness, statuses: ZoneStatus[]): Promise<void> {
  await store.updateStatus(ProductKind, { namespace, name: 'shop' }, () => ({ zones: statuses }));
}

describe('the view of a zone', () => {
  it('200: offers a Release to each zone that runs nothing, whatever the others run', async () => {
    const api = await aShop();
    await aRelease(api, { digest: 'sha256:1', zones: [{ name: 'shop-rc', phase: 'Verified', verifiedAt: at }] });
    const running = (name: string) => ({ name, release: 'shop-v0.9.0' });
    const removed = {
      ...running('shop-old'),
      removal: { by: 'jo@example.com', since: at, message: 'Deletes it.', remaining: [] },
    };
    for (const [statuses, offered] of [
      [[], ['shop-rc', 'shop-prod']],
      [
        [{ name: 'shop-rc' }, { name: 'shop-prod' }, removed],
        ['shop-rc', 'shop-prod'],
      ],
      [[running('shop-rc')], ['shop-prod']],
      [[running('shop-rc'), running('shop-prod')], []],
    ] as const) {
      await setZones(api, [...statuses]);
      const { items } = (await (await api.request(zones)).json()) as { items: Listed[] };
      const names = items.flatMap(({ name, offeredRelease }) => (offeredRelease ? [name] : []));
      expect(names, JSON.stringify(statuses)).toEqual(offered);
    }
  });

  it('200: lists a zone that is being removed last', async () => {
    const api = await aShop();
    const removal = { by: 'jo@example.com', since: at, message: 'Deletes it.', remaining: [] };
    await setZones(api, [{ name: 'shop-old', removal }, { name: 'shop-prod' }]);
    const { items } = (await (await api.request(zones)).json()) as { items: Listed[] };
    expect(items.map(({ name }) => name)).toEqual(['shop-rc', 'shop-prod', 'shop-old']);
    expect(items[2]).toMatchObject({ status: { removal } });
    expect(items[2]).not.toHaveProperty('spec');
  });

  it('200: has no address if the zone accepts no requests, and an ETag', async () => {
    const api = await aShop();
    const more = { name: 'shop-batch', access: 'none' };
    expect((await api.request(zones, { method: 'POST', body: more })).status).toBe(201);
    const response = await api.request(`${zones}/shop-batch`);
    const { status, resourceVersion } = (await response.json()) as { status: object; resourceVersion: string };
    expect(status).toEqual({ name: 'shop-batch' });
    const etag = response.headers.get('ETag') ?? '';
    expect(etag).toContain(`"${resourceVersion}.`);
    expect((await api.request(`${zones}/shop-batch`, { headers: { 'If-None-Match': etag } })).status).toBe(304);
  });

  it('200: offers no approval to the starter of the Release if the org requires two people', async () => {
    const api = await aShop();
    const body = { preventSelfApproval: true };
    expect((await api.request('/v1/orgs/acme/approvals', { method: 'PUT', body })).status).toBe(200);
    await aRelease(api, { zones: [{ name: 'shop-prod', phase: 'WaitingForApproval' }] }, 'Org-Admin@example.com');
    const currentPromotion = { release: 'shop-v1.0.0', version: 'v1.0.0', phase: 'WaitingForApproval' as const };
    await setZones(api, [{ name: 'shop-prod', currentPromotion }]);
    const approval = async (role: 'org-admin' | 'member') => {
      const view = (await (await api.request(`${zones}/shop-prod`, { role })).json()) as Listed;
      return view.actions.find(({ name }) => name === 'approvePromotion');
    };
    expect(await approval('org-admin')).toMatchObject({ allowed: false, reason: 'self-approval' });
    expect(await approval('member')).toMatchObject({ allowed: true });
  });
});
