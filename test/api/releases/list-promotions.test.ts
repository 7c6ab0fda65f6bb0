import { describe, expect, it } from 'vitest';
import { PromotionKind, type PromotionSpec } from '../../../src/rules/promotions/kinds.ts';
import { startApi } from '../../support/start-api.ts';

const spec: PromotionSpec = {
  product: 'shop',
  zone: 'shop-prod',
  release: 'shop-v1.0.0',
  version: 'v1.0.0',
  commit: 'c1',
  trigger: 'release',
  startedBy: 'jo@example.com',
};

async function withPromotions() {
  const api = await startApi({ role: 'viewer' });
  const all: [string, Partial<PromotionSpec>, 'Failed' | 'Verified'][] = [
    ['shop-v1.0.0-shop-rc-a', { zone: 'shop-rc' }, 'Verified'],
    ['shop-v1.0.0-shop-prod-b', {}, 'Failed'],
    ['shop-v1.0.0-shop-prod-c', { trigger: 'manual', startedBy: 'Kim@example.com' }, 'Verified'],
    [
      'till-v2.0.0-till-prod-d',
      { product: 'till', zone: 'till-prod', release: 'till-v2.0.0', version: 'v2.0.0' },
      'Verified',
    ],
  ];
  for (const [name, more, phase] of all) {
    const metadata = { namespace: 'org-acme', name };
    await api.store.create(PromotionKind, { metadata, spec: { ...spec, ...more } });
    await api.store.updateStatus(PromotionKind, metadata, () => ({ phase, phases: [] }));
  }
  const list = async (query = ''): Promise<string[]> => {
    const response = await api.request(`/v1/orgs/acme/promotions${query}`);
    expect(response.status).toBe(200);
    const { items } = (await response.json()) as { items: { name: string }[] };
    return items.map(({ name }) => name.slice(-1));
  };
  return { ...api, list };
}

describe('listPromotions', () => {
  it.each([
    ['?sort=name', 'cbad'],
    ['?sort=name&product=till', 'd'],
    ['?sort=name&zone=shop-prod', 'cb'],
    ['?sort=name&release=shop-v1.0.0', 'cba'],
    ['?sort=name&release=x', ''],
    ['?sort=name&phase=Verified', 'cad'],
    ['?sort=name&startedBy=kim@EXAMPLE.com', 'c'],
    ['?sort=name&q=v2', 'd'],
    ['?zone=shop-prod&phase=Superseded', ''],
  ])('200: filters by "%s"', async (query, expected) => {
    const { list } = await withPromotions();
    expect((await list(query)).toSorted()).toEqual(expected.split('').toSorted());
  });

  it('200: returns who asked, who decided and how it ended, page by page', async () => {
    const { store, request } = await withPromotions();
    const decision = {
      by: 'lee@example.com',
      role: 'member',
      outcome: 'approved' as const,
      at: '2026-01-01T00:00:00Z',
    };
    const ref = { namespace: 'org-acme', name: 'shop-v1.0.0-shop-prod-b' };
    await store.updateStatus(PromotionKind, ref, ({ status }) => ({ ...status!, decision }));
    const path = '/v1/orgs/acme/promotions?zone=shop-prod&sort=name&limit=1';
    const first = (await (await request(path)).json()) as { items: object[]; continue: string };
    expect(first.items).toMatchObject([{ spec: { ...spec }, status: { phase: 'Failed', decision } }]);
    const next = await request(`${path}&continue=${encodeURIComponent(first.continue)}`);
    expect(await next.json()).toMatchObject({ items: [{ spec: { trigger: 'manual', startedBy: 'Kim@example.com' } }] });
  });
});
