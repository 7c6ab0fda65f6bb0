import { describe, expect, it } from 'vitest';
import { ReleaseKind, type ReleaseStatus } from '../../../src/rules/releases/kinds.ts';
import { startApi } from '../../support/start-api.ts';

async function withRelease(status: Partial<ReleaseStatus>) {
  const api = await startApi({ role: 'member' });
  const ref = { namespace: 'org-acme', name: 'shop-v1.0.0' };
  await api.store.create(ReleaseKind, {
    metadata: ref,
    spec: { product: 'shop', repo: 'acme/shop', commit: 'c', version: 'v1.0.0', startedBy: 'jo' },
  });
  await api.store.updateStatus(ReleaseKind, ref, () => ({ phase: 'Promoting' as const, zones: [], ...status }));
  const act = async (path: string) => (await api.request(`/v1/orgs/acme/releases/${path}`, { method: 'POST' })).status;
  return { ...api, act };
}

describe('a Release', () => {
  it('200: names what waits for a person', async () => {
    const { request } = await withRelease({
      zones: [
        { name: 'shop-rc', phase: 'Verified' },
        { name: 'shop-prod', phase: 'WaitingForApproval' },
      ],
    });
    expect(await (await request('/v1/orgs/acme/releases/shop-v1.0.0')).json()).toMatchObject({
      kind: 'Release',
      actions: [
        { name: 'approvePromotion', zone: 'shop-prod', allowed: true },
        { name: 'rejectPromotion', zone: 'shop-prod', allowed: true },
        { name: 'cancelRelease', allowed: true },
      ],
    });
    expect(await (await request('/v1/orgs/acme/releases?product=shop&phase=Promoting')).json()).toMatchObject({
      items: [{ name: 'shop-v1.0.0' }],
    });
  });

  it('404: has only the zones it goes to', async () => {
    const { act } = await withRelease({});
    expect(await act('shop-v1.0.0/zones/shop-prod/approve')).toBe(404);
    expect(await act('shop-v9.0.0/cancel')).toBe(404);
  });

  it('409: that is over takes no decision', async () => {
    const { act } = await withRelease({ phase: 'Failed', zones: [{ name: 'shop-prod', phase: 'Failed' }] });
    expect(await act('shop-v1.0.0/zones/shop-prod/reject')).toBe(409);
    expect(await act('shop-v1.0.0/cancel')).toBe(409);
  });
});
