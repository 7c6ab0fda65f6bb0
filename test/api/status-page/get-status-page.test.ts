import { describe, expect, it } from 'vitest';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { startApi } from '../../support/start-api.ts';
import { seedIncident, seedShop, shopRef } from './seed-status.ts';

const path = '/v1/status/acme/shop';
const anonymous = { role: 'anonymous' } as const;
const browser = { Accept: 'text/html,*/*;q=0.8' };

/** The parts of a response that could tell two answers apart; the id of a request is its own. */
async function readAnswer(response: Response): Promise<unknown> {
  const headers = Object.fromEntries([...response.headers].filter(([name]) => name !== 'x-request-id'));
  const id = response.headers.get('x-request-id') ?? '';
  return { status: response.status, headers, body: (await response.text()).replaceAll(id, 'id') };
}

describe('getStatusPage', () => {
  it('200: a public page for anyone, with caching for a moment', async () => {
    const { request, store } = await startApi();
    await seedShop(store);
    await seedIncident(store, { name: 'i1', spec: { zone: 'shop-prod' } });
    const response = await request(path, anonymous);
    expect(response.status).toBe(200);
    expect(response.headers.get('Cache-Control')).toBe('public, max-age=5');
    expect(response.headers.get('Vary')).toBe('Accept, Accept-Encoding');
    const page = (await response.json()) as { zones: { history: unknown[] }[] };
    expect(page).toMatchObject({
      title: 'Shop',
      state: 'down',
      zones: [{ name: 'shop-prod', state: 'down', objectives: [] }],
      incidents: [{ title: 'Outage', updates: [{ text: 'A problem was found.' }] }],
    });
    expect(page.zones[0]?.history).toHaveLength(90);
    expect(JSON.stringify(page)).not.toMatch(/root@example\.com|db-7/);
  });

  it('200: any page for every signed-in person, whom no shared cache serves', async () => {
    const { request, store } = await startApi();
    await seedShop(store, { statusPage: { public: false } });
    const response = await request(path, { role: 'no-role' });
    expect(response.status).toBe(200);
    expect(response.headers.get('Cache-Control')).toBe('private, no-cache');
    expect(response.headers.get('Vary')).toContain('Authorization, Cookie');
    expect((await request(path, { ...anonymous, headers: { Authorization: 'Bearer revoked' } })).status).toBe(404);
  });

  it('200: SLOs whose state is unknown while Prometheus is not there', async () => {
    const { request, store } = await startApi();
    const indicator = { availability: { metric: 'http_requests_total' } };
    await seedShop(store, { slos: [{ name: 'answers', objective: '99.9', indicator }] });
    expect(await (await request(path, anonymous)).json()).toMatchObject({
      zones: [{ state: 'operational', objectives: [{ name: 'answers', objective: '99.9', state: 'unknown' }] }],
    });
  });

  it('404: the same for an unpublished page, an unknown Product and an unknown org, as document and as page', async () => {
    const { app, store } = await startApi();
    await seedShop(store, { statusPage: { public: false } });
    for (const prefix of ['/api/v1/status', '/status'])
      for (const headers of [{}, browser, { ...browser, Authorization: 'Bearer nonsense' }]) {
        const ask = async (name: string): Promise<unknown> =>
          await readAnswer(await app.request(`${prefix}/${name}`, { headers }));
        const hidden = await ask('acme/shop');
        expect(hidden).toMatchObject({ status: 404 });
        const neutral = JSON.stringify(hidden).replaceAll('acme/shop', 'x/y');
        for (const name of ['acme/nothing', 'nowhere/shop'])
          expect(JSON.stringify(await ask(name)).replaceAll(name, 'x/y'), name).toBe(neutral);
      }
  });

  it('404: for a Product that is being deleted', async () => {
    const { request, store } = await startApi();
    await seedShop(store);
    await store.updateStatus(ProductKind, shopRef, ({ status }) => ({
      ...(status ?? { conditions: [] }),
      deletionMessage: 'Asked.',
    }));
    expect((await request(path)).status).toBe(404);
  });

  it('503: while the store is away and the page was never read, without a word about the store', async () => {
    const { app, store } = await startApi();
    await store.close();
    const response = await app.request('/api/v1/status/acme/shop');
    expect([response.status, response.headers.get('Retry-After')]).toEqual([503, '5']);
    expect(await response.text()).not.toMatch(/database|sqlite/i);
  });

  it('answers more requests than a person may send in a minute', async () => {
    const { app, store } = await startApi();
    await seedShop(store);
    const statuses = new Set<number>();
    for (let count = 0; count < 1_500; count += 1) statuses.add((await app.request('/status/acme/shop')).status);
    expect(statuses).toEqual(new Set([200]));
  });

  it('304: for the bytes that the caller has, until the page is read again', async () => {
    const { request, store } = await startApi();
    await seedShop(store);
    const askTwice = async (): Promise<number> => {
      const etag = (await request(path, anonymous)).headers.get('ETag') ?? '';
      return (await request(path, { ...anonymous, headers: { 'If-None-Match': etag } })).status;
    };
    // A slow machine may read the page again between the two.
    await expect.poll(askTwice, { timeout: 60_000 }).toBe(304);
  });
});
