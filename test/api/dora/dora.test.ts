import { describe, expect, it, vi } from 'vitest';
import { PromotionKind } from '../../../src/rules/promotions/kinds.ts';
import * as data from '../../rules/dora/hand-computed.ts';
import { startApi } from '../../support/start-api.ts';
import { createProduct, createResource, seedHandComputed } from './seed-hand-computed.ts';

const now = () => data.now;
const path = '/v1/orgs/acme/products/shop/dora';

describe('getProductDora', () => {
  it('200: has the figures of the hand-computed data, with the events behind each', async () => {
    const { store, request } = await startApi({ role: 'viewer', now });
    await seedHandComputed(store);
    const response = await request(path);
    expect(response.status).toBe(200);
    const dora = (await response.json()) as Record<string, unknown>;
    expect(dora).toMatchObject({
      product: 'shop',
      releaseZones: ['prod'],
      days: 30,
      from: '2026-10-26T00:00:00.000Z',
      to: '2026-11-25T00:00:00.000Z',
      ...data.expectedFigures,
      bands: { year: 2023 },
    });
    expect(dora['changeFailureRate']).toMatchObject({
      events: [
        { promotion: 'p41', reason: 'incident', restoredSeconds: 4_800, incidents: [{ name: 'i13' }] },
        { promotion: 'p33', reason: 'incident', restoredSeconds: 5_400 },
        { promotion: 'p32', reason: 'promotion-failed', incidents: [] },
        { promotion: 'p27', incidents: [{ name: 'i9' }] },
        { promotion: 'p26' },
        { promotion: 'p23', restoredSeconds: 7_200, incidents: [{ name: 'i5' }, { name: 'i6' }] },
        { promotion: 'p21' },
        { promotion: 'p18' },
        { promotion: 'p16' },
        { promotion: 'p9' },
      ],
    });
    expect(dora['leadTime']).toHaveProperty(['events', '0', 'change'], 'c35');
    expect(dora['timeToRestore']).toHaveProperty(['events', '0', 'name'], 'i19');
  });

  it('200: a later Release counts, in this replica and in one that starts afterwards', async () => {
    const { store, request } = await startApi({ role: 'viewer', now });
    await seedHandComputed(store);
    const countReleases = async (from: typeof request): Promise<number> => {
      const view = (await (await from(path)).json()) as { deploymentFrequency: { count: number } };
      return view.deploymentFrequency.count;
    };
    expect(await countReleases(request)).toBe(23);
    const [, , , , , , , , first] = data.promotions;
    if (!first) throw new Error('The data has no ninth Promotion.');
    const { metadata } = await createResource(store, PromotionKind, {
      ...first,
      name: 'another',
      spec: { ...first.spec, release: 'shop-v9-9-9' },
    });
    await vi.waitFor(async () => expect(await countReleases(request)).toBe(24), { timeout: 60_000 });
    const other = await startApi({ role: 'member', now, store });
    expect(await countReleases(other.request)).toBe(24);
    await store.delete(PromotionKind, metadata);
    await vi.waitFor(async () => expect(await countReleases(request)).toBe(23), { timeout: 60_000 });
  });

  it('200: has no value and no rating where nothing was deployed', async () => {
    const { store, request } = await startApi({ role: 'viewer', now });
    await createProduct(store, 'shop');
    const dora = (await (await request(path)).json()) as Record<string, object>;
    for (const measure of Object.keys(data.expectedFigures)) {
      expect(dora[measure]).toMatchObject({ count: 0, total: 0, events: [] });
      expect(dora[measure]).not.toHaveProperty('value');
      expect(dora[measure]).not.toHaveProperty('rating');
    }
  });

  it('404: no such Product', async () => {
    const { request } = await startApi({ role: 'viewer', now });
    expect((await request(path)).status).toBe(404);
  });

  it.each(['0', '366', '1.5', 'x'])('422: rejects %s days', async (days) => {
    const { request } = await startApi({ role: 'viewer', now });
    const refused = await request(`${path}?days=${days}`);
    expect(await refused.json()).toMatchObject({ status: 422, errors: [{ pointer: '?days' }] });
  });
});

describe('getOrgDora', () => {
  it('200: adds up the Products, each with its own release zones', async () => {
    const { store, request } = await startApi({ role: 'viewer', now });
    await seedHandComputed(store);
    await createProduct(store, 'other');
    const [, , , , , , , , first] = data.promotions;
    if (!first) throw new Error('The data has no ninth Promotion.');
    await createResource(store, PromotionKind, {
      ...first,
      name: 'p-other',
      spec: { ...first.spec, product: 'other' },
    });
    expect(await (await request('/v1/orgs/acme/dora')).json()).toMatchObject({
      products: [
        { product: 'other', releaseZones: ['prod'] },
        { product: 'shop', releaseZones: ['prod'] },
      ],
      deploymentFrequency: { count: 24 },
      leadTime: data.expectedFigures.leadTime,
      changeFailureRate: { count: 10, total: 29 },
    });
  });
});
