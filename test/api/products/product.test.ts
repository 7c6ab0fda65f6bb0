import { describe, expect, it } from 'vitest';
import { ProductKind, type ProductSpec } from '../../../src/rules/products/kinds.ts';
import { startApi } from '../../support/start-api.ts';

const ref = { namespace: 'org-acme', name: 'shop' };
const path = '/v1/orgs/acme/products/shop';
type View = { org: string; actions: { name: string; allowed: boolean; message?: string }[] };

async function aShop(source?: ProductSpec['source']) {
  const api = await startApi({ role: 'org-admin' });
  const delivery = { zones: [{ name: 'shop-rc' }, { name: 'shop-prod' }] };
  const spec = { repos: ['acme/shop'], delivery, ...(source && { source }) };
  await api.store.create(ProductKind, { metadata: ref, spec });
  return api;
}

describe('a zone of a Product', () => {
  it('200: exists while it is in the spec or is being removed; 404: names any other', async () => {
    const { request, store } = await aShop();
    const removal = { by: 'jo@example.com', since: '2026-01-01T00:00:00Z', message: 'Deletes it.', remaining: [] };
    await store.updateStatus(ProductKind, ref, () => ({
      zones: [
        { name: 'shop-prod', release: 'shop-v1.0.0' },
        { name: 'shop-old', removal },
      ],
    }));
    for (const [zone, status] of [
      ['shop-rc', 200],
      ['shop-prod', 200],
      ['shop-old', 200],
      ['shop-none', 404],
    ] as const)
      expect([zone, (await request(`${path}/zones/${zone}`)).status]).toEqual([zone, status]);
    expect(await (await request(`${path}/zones/shop-prod`)).json()).toMatchObject({
      status: { name: 'shop-prod', release: 'shop-v1.0.0' },
    });
  });
});

describe('the actions of a Product', () => {
  it('are all blocked while it is being deleted, and name its state', async () => {
    const { request, store } = await aShop({ template: 'node-service', repo: 'acme/shop' });
    const read = async () => (await (await request(path)).json()) as View;
    const before = await read();
    expect(before.org).toBe('acme');
    expect(before.actions.find(({ name }) => name === 'addZone')).toMatchObject({ allowed: true });
    expect(before.actions.map(({ name }) => name)).toContain('retryScaffold');
    await store.updateStatus(ProductKind, ref, () => ({ deletionMessage: 'Deletes the zones.' }));
    const messages = new Set((await read()).actions.map(({ message }) => message));
    expect(messages).toEqual(new Set(['The Product is being deleted.']));
  });

  it('contain no retry of a Product that was not made from a source', async () => {
    const { request } = await aShop();
    const { actions } = (await (await request(path)).json()) as View;
    expect(actions.map(({ name }) => name)).not.toContain('retryScaffold');
  });
});

describe('a Product that was rejected after kubectl has written it', () => {
  const rejected = {
    type: 'Accepted',
    status: 'False',
    reason: 'Rejected',
    message: '/spec/repos/0 already belongs to the Product "other"',
    observedGeneration: 1,
    lastTransitionTime: '2026-01-01T00:00:00Z',
  } as const;

  it.each([
    ['/v1/orgs/acme/releases', { product: 'shop' }],
    ['/v1/orgs/acme/agentworkflowruns', { product: 'shop', agentWorkflow: 'issue-to-change', issue: 1 }],
    [`${path}/issues`, { title: 'Write to the repo of another Product' }],
    [`${path}/zones/shop-rc/promote`, { release: 'shop-v1.0.0' }],
  ])('422: starts nothing with POST %s, and can be replaced', async (target, body) => {
    const { request, store } = await aShop();
    await store.updateStatus(ProductKind, ref, () => ({ conditions: [rejected] }));
    const response = await request(target, { method: 'POST', body });
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({
      detail: 'The Product "shop" is not valid. Fix what its condition `Accepted` names.',
    });
    const spec = { repos: ['acme/shop'], delivery: { zones: [{ name: 'shop-rc' }] } };
    expect((await request(path, { method: 'PUT', body: { spec }, headers: { 'if-match': '*' } })).status).toBe(200);
  });
});
