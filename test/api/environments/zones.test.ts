import { describe, expect, it } from 'vitest';
import { OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { type ReleaseStatus, ReleaseKind } from '../../../src/rules/releases/kinds.ts';
import type { ApiHarness } from '../../support/start-api.ts';
import { captureUpdates } from '../../support/workflows/capture-updates.ts';
import { aShop, send } from './shop-fixture.ts';

const zones = '/v1/orgs/acme/products/shop/zones';
const prod = `${zones}/shop-prod`;
const namespace = 'org-acme';

async function aRelease({ store }: ApiHarness, status: Partial<ReleaseStatus>, startedBy = 'jo@example.com') {
  const ref = { namespace, name: 'shop-v1.0.0' };
  const spec = { product: 'shop', repo: 'acme/shop', commit: 'c', version: 'v1.0.0', startedBy };
  await store.create(ReleaseKind, { metadata: ref, spec });
  await store.updateStatus(ReleaseKind, ref, () => ({ phase: 'Promoting' as const, zones: [], ...status }));
  return { release: 'shop-v1.0.0' };
}

describe('listZones', () => {
  it('200: returns each zone with its status and actions', async () => {
    const api = await aShop();
    const running = {
      name: 'shop-rc',
      release: 'shop-v1.0.0',
      currentPromotion: { release: 'shop-v1.1.0', version: 'v1.1.0', phase: 'WaitingForApproval' },
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
});

describe('a zone that runs nothing', () => {
  it('200: names the newest Release that can be promoted to it', async () => {
    const api = await aShop();
    await aRelease(api, {
      digest: 'sha256:1',
      zones: [{ name: 'shop-rc', phase: 'Verified', verifiedAt: '2026-01-02T03:04:05Z' }],
    });
    const offeredRelease = { name: 'shop-v1.0.0', version: 'v1.0.0' };
    expect(await (await api.request(prod)).json()).toMatchObject({ offeredRelease });
    const { items } = (await (await api.request(zones)).json()) as { items: object[] };
    expect(items).toMatchObject([{ offeredRelease }, { offeredRelease }]);
    const running = [{ name: 'shop-prod', release: 'shop-v1.0.0' }];
    await api.store.updateStatus(ProductKind, { namespace, name: 'shop' }, () => ({ zones: running }));
    expect(await (await api.request(prod)).json()).not.toHaveProperty('offeredRelease');
  });
});

describe('a zone with a promotion that waits', () => {
  it('200: says what it waits for', async () => {
    const api = await aShop();
    const waitingFor = { role: 'member', since: '2026-01-02T03:04:05Z', message: 'approve v1.0.0 for shop-prod' };
    await aRelease(api, { zones: [{ name: 'shop-prod', phase: 'WaitingForApproval', waitingFor }] });
    const currentPromotion = { release: 'shop-v1.0.0', version: 'v1.0.0', phase: 'WaitingForApproval' };
    const promoting = [{ name: 'shop-prod', currentPromotion }];
    await api.store.updateStatus(ProductKind, { namespace, name: 'shop' }, () => ({ zones: promoting }));
    expect(await (await api.request(prod)).json()).toMatchObject({ waitingFor });
    expect(await (await api.request(`${zones}/shop-rc`)).json()).not.toHaveProperty('waitingFor');
  });
});

describe('removeZone', () => {
  it('422: requires the name of the zone as a confirmation', async () => {
    const api = await aShop();
    for (const confirm of ['', '?confirm=shop-rc']) {
      const { status, pointers, detail } = await send(api, `${prod}${confirm}`, { method: 'DELETE' });
      expect({ status, pointers }).toEqual({ status: 422, pointers: ['?confirm'] });
      expect(detail).toContain('Set confirm to its name');
    }
    const { spec, status } = await api.store.get(ProductKind, { namespace, name: 'shop' });
    expect(spec.delivery.zones).toHaveLength(2);
    expect(status?.zones ?? []).toEqual([]);
  });

  it('503: keeps the name of the zone reserved until the removal is retried', async () => {
    const api = await aShop();
    expect((await send(api, `${prod}?confirm=shop-prod`, { method: 'DELETE' })).status).toBe(503);
    const removing = await api.request(prod);
    expect(await removing.json()).toMatchObject({ status: { removal: { by: 'org-admin@example.com' } } });
    expect(await send(api, zones, { body: {} })).toMatchObject({
      status: 409,
      detail: expect.stringContaining('still being removed'),
    });
    expect((await send(api, `${prod}?confirm=shop-prod`, { method: 'DELETE' })).status).toBe(503);
  });
});

describe('the operations of a zone', () => {
  it('403: viewers can only read, and members cannot add or remove zones', async () => {
    const viewer = await aShop('viewer');
    expect((await viewer.request(prod)).status).toBe(200);
    for (const path of ['promote', 'freeze', 'unfreeze'])
      expect((await send(viewer, `${prod}/${path}`, { body: { release: 'r', reason: 'r' } })).status).toBe(403);
    const member = await aShop('member');
    expect((await send(member, `${prod}?confirm=shop-prod`, { method: 'DELETE' })).status).toBe(403);
    expect((await send(member, zones, { body: { name: 'shop-more' } })).status).toBe(403);
  });

  it('404: requires a zone of the Product', async () => {
    const api = await aShop();
    for (const [path, body] of [
      ['freeze', { reason: 'Sale.' }],
      ['unfreeze', undefined],
      ['promote', { release: 'shop-v1.0.0' }],
    ] as const)
      expect((await send(api, `${zones}/shop-none/${path}`, { body })).status).toBe(404);
  });
});

describe('unfreezeZone', () => {
  it('503: sends the update to the workflow of the zone', async () => {
    const api = await aShop();
    expect((await send(api, `${prod}/unfreeze`)).status).toBe(503);
  });

  it('409: rejects a Product that is being deleted', async () => {
    const api = await aShop();
    const deleting = { deletionMessage: 'The Product is being deleted.' };
    await api.store.updateStatus(ProductKind, { namespace, name: 'shop' }, () => deleting);
    expect((await send(api, `${prod}/unfreeze`)).status).toBe(409);
  });
});

describe('freezeZone', () => {
  it.each([
    ['rejects an end in the past', { reason: 'Sale.', until: '2020-01-01T00:00:00Z' }, ['/until']],
    ['requires a reason', { reason: ' ' }, ['/reason']],
    ['rejects a reason that looks like another one', { reason: 'Sale\u202e.' }, ['/reason']],
    ['rejects an end that is not a timestamp', { reason: 'Sale.', until: 'Monday' }, ['/until']],
  ])('422: %s', async (_what, body, pointers) => {
    expect(await send(await aShop(), `${prod}/freeze`, { body })).toMatchObject({ status: 422, pointers });
  });
});

describe('promoteToZone', () => {
  it('422: requires a Release of the Product', async () => {
    const response = await send(await aShop(), `${prod}/promote`, { body: { release: 'shop-v9.0.0' } });
    expect(response).toMatchObject({ status: 422, pointers: ['/release'] });
  });

  it('409: requires a Release that is built and verified in the zones before', async () => {
    const api = await aShop();
    const body = await aRelease(api, {});
    expect((await send(api, `${prod}/promote`, { body })).detail).toContain('v1.0.0 is not built');
    const built = { phase: 'Promoting' as const, digest: 'sha256:d', zones: [] };
    await api.store.updateStatus(ReleaseKind, { namespace, name: body.release }, () => built);
    expect(await send(api, `${prod}/promote`, { body })).toMatchObject({
      status: 409,
      detail: expect.stringContaining('v1.0.0 is not verified in the earlier zone "shop-rc"'),
    });
    // Every check passes, and Temporal is unavailable.
    expect((await send(api, `${zones}/shop-rc/promote`, { body })).status).toBe(503);
  });

  it('409: refuses a rollback to a Release whose image was deleted', async () => {
    const api = await aShop('org-admin', { isImageDeleted: async (digest) => digest === 'sha256:old' });
    const zone = { name: 'shop-prod', phase: 'Superseded' as const, healthyAt: '2026-01-02T03:04:05Z' };
    const body = await aRelease(api, { digest: 'sha256:old', zones: [zone] });
    expect(await send(api, `${prod}/promote`, { body })).toMatchObject({
      status: 409,
      reason: 'image-deleted',
      detail: expect.stringContaining('Promote a newer Release, or bring the code of v1.0.0 back in a new Change.'),
    });
  });

  it('403: rejects a promotion by the starter if the org requires two people, except for a rollback', async () => {
    const api = await aShop();
    const organization = { namespace: 'service-system', name: 'acme' };
    const org = await api.store.get(OrganizationKind, organization);
    await api.store.replace(OrganizationKind, {
      ...org,
      spec: { ...org.spec, approvals: { preventSelfApproval: true } },
    });
    const verified = { name: 'shop-rc', phase: 'Verified' as const, verifiedAt: '2026-01-01T00:00:00Z' };
    const status = { digest: 'sha256:d', zones: [verified] };
    const body = await aRelease(api, status, 'Org-Admin@example.com');
    expect(await send(api, `${prod}/promote`, { body })).toMatchObject({
      status: 403,
      detail: expect.stringContaining('does not allow self-approval'),
    });
    const ran = { name: 'shop-prod', phase: 'Verified' as const, healthyAt: '2026-01-01T00:00:00Z' };
    await api.store.updateStatus(ReleaseKind, { namespace, name: body.release }, () => ({
      ...status,
      phase: 'Succeeded' as const,
      zones: [verified, ran],
    }));
    expect((await send(api, `${prod}/promote`, { body })).status).toBe(503);
  });
});

describe('an operation that changes the traffic of a zone', () => {
  const now = () => new Date('2027-01-01T00:00:00Z');
  const by = 'member@example.com';
  const until = '2027-01-02T00:00:00Z';

  it.each([
    ['freeze', { reason: '?' }, 'freezeZone', { reason: '?', by, since: now().toISOString() }],
    ['freeze', { reason: 'Sale.', until }, 'freezeZone', { reason: 'Sale.', by, since: now().toISOString(), until }],
    ['unfreeze', undefined, 'unfreezeZone', { by }],
    ['promote', { release: 'shop-v1.0.0' }, 'promoteManually', { by, role: 'member' }],
    [
      'promote',
      { release: 'shop-v1.0.0', note: 'Now.', overrideFreeze: true },
      'promoteManually',
      { by, role: 'member', note: 'Now.', overrideFreeze: true },
    ],
  ])('200: %s %j reaches the workflow of the zone with its proof', async (verb, body, update, decision) => {
    const { temporal, updates } = captureUpdates();
    const api = await aShop('member', { temporal, now });
    await aRelease(api, { digest: 'sha256:d', zones: [{ name: 'shop-rc', phase: 'Verified', verifiedAt: until }] });
    const request = {
      release: 'shop-v1.0.0',
      version: 'v1.0.0',
      commit: 'c',
      digest: 'sha256:d',
      replyToWorkflowId: 'promote-release/acme/shop/c',
    };
    expect(await send(api, `${zones}/shop-rc/${verb}`, { body })).toMatchObject({ status: 200 });
    expect(updates).toEqual([
      {
        workflowId: 'manage-zone/acme/shop/shop-rc',
        update,
        args: [{ ...(verb === 'promote' && { request }), ...decision }, expect.any(String)],
      },
    ]);
  });

  it('422: a freeze ends in the future', async () => {
    const api = await aShop('member', { now });
    const body = { reason: 'Sale.', until: now().toISOString() };
    expect(await send(api, `${zones}/shop-rc/freeze`, { body })).toMatchObject({ status: 422, pointers: ['/until'] });
  });
});
