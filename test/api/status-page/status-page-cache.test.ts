import { describe, expect, it } from 'vitest';
import type { ReadStatusPage } from '../../../api/status-page/read-status-page.ts';
import { StatusPageCache } from '../../../api/status-page/status-page-cache.ts';
import { startApi } from '../../support/start-api.ts';
import { publish, seedShop } from './seed-status.ts';

const name = { org: 'acme', product: 'shop' };
const toPage = (title: string, isPublic = true): ReadStatusPage => ({
  isPublic,
  page: { ...name, title, state: 'operational', asOf: '2026-11-24T12:00:00.000Z', zones: [], incidents: [] },
});

/** A cache whose clock and source the test moves. */
function openCache() {
  const world = { now: 0, reads: 0, answer: async (): Promise<ReadStatusPage | undefined> => toPage('One') };
  const cache = new StatusPageCache(
    async () => {
      world.reads += 1;
      return await world.answer();
    },
    () => world.now,
  );
  const readTitle = async (): Promise<string | undefined> => {
    const found = await cache.find(name);
    return found && (JSON.parse(new TextDecoder().decode(found.json.body)) as { title: string }).title;
  };
  return { world, cache, readTitle };
}
/** Lets the refresh that runs in the background finish. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
};

describe('the cache of status pages', () => {
  it('reads once for a crowd, and again in the background only after some seconds', async () => {
    const { world, readTitle } = openCache();
    expect(await Promise.all(Array.from({ length: 100 }, readTitle))).toEqual(Array(100).fill('One'));
    world.now = 2_999;
    await readTitle();
    expect(world.reads).toBe(1);
    world.answer = async () => toPage('Two');
    world.now = 3_000;
    expect(await readTitle()).toBe('One');
    await settle();
    expect(await readTitle()).toBe('Two');
    expect(world.reads).toBe(2);
  });

  it('lets the first reader after a pause wait for the current page, which may be unpublished', async () => {
    const { world, cache, readTitle } = openCache();
    await readTitle();
    world.now = 10_000;
    world.answer = async () => undefined;
    expect(await cache.find(name)).toBeUndefined();
    world.now = 20_000;
    world.answer = async () => toPage('Back');
    expect(await readTitle()).toBe('Back');
  });

  it('serves the last page while the source fails, and asks it again after a moment only', async () => {
    const { world, readTitle } = openCache();
    await readTitle();
    world.answer = async () => {
      throw new Error('away');
    };
    for (world.now = 60_000; world.now < 62_000; world.now += 100) expect(await readTitle()).toBe('One');
    expect(world.reads).toBe(2);
    world.answer = async () => toPage('Two');
    world.now = 70_000;
    expect(await readTitle()).toBe('Two');
  });

  it('lets readers wait for a source that hangs, but for a short time and once', async () => {
    const { world, readTitle } = openCache();
    await readTitle();
    world.answer = async () => await new Promise(() => {});
    world.now = 60_000;
    expect(await readTitle()).toBe('One');
    world.now = 61_000;
    let isRead = false;
    const readAll = async (): Promise<void> => {
      for (let count = 0; count < 100; count += 1) await readTitle();
      isRead = true;
    };
    const reading = readAll();
    // A reader that waits for the source needs a timer.
    await settle();
    expect(isRead).toBe(true);
    await reading;
    expect(world.reads).toBe(2);
  });

  it('remembers that there is no page, and fails when it never read one', async () => {
    const { world, cache } = openCache();
    world.answer = async () => {
      throw new Error('away');
    };
    await expect(cache.find(name)).rejects.toThrow('away');
    world.now = 5_000;
    world.answer = async () => undefined;
    expect(await cache.find(name)).toBeUndefined();
    expect(await cache.find(name)).toBeUndefined();
    expect(world.reads).toBe(2);
  });

  it('keeps a bounded number of answers', async () => {
    let reads = 0;
    const cache = new StatusPageCache(
      async ({ product }) => {
        reads += 1;
        return product === 'shop' ? toPage('One') : undefined;
      },
      () => 0,
    );
    await cache.find(name);
    for (let count = 0; count < 3_000; count += 1) await cache.find({ org: 'acme', product: `guess-${count}` });
    const before = reads;
    expect(await cache.find(name)).toBeDefined();
    expect(reads).toBe(before);
    await cache.find({ org: 'acme', product: 'guess-0' });
    expect(reads).toBe(before + 1);
  });
});

describe('the status page while the store is away', () => {
  it('is served to a crowd with the time that it was read, and a hidden one stays hidden', async () => {
    const { app, store } = await startApi();
    await seedShop(store);
    expect((await app.request('/status/acme/shop')).status).toBe(200);
    expect((await app.request('/api/v1/status/acme/nothing')).status).toBe(404);
    await store.close();
    const responses = await Promise.all(
      Array.from({ length: 500 }, async (_, index) =>
        app.request(index % 2 === 0 ? '/status/acme/shop' : '/api/v1/status/acme/shop'),
      ),
    );
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await responses[0]?.text()).toMatch(/As of\s<time datetime="20/);
    expect((await app.request('/status/acme/nothing')).status).toBe(404);
  });

  it('disappears within seconds after it was unpublished', async () => {
    let now = 0;
    const { app, store } = await startApi({ statusPageClock: () => now });
    await seedShop(store);
    expect((await app.request('/status/acme/shop')).status).toBe(200);
    await publish(store, false);
    now = 3_000;
    await expect.poll(async () => (await app.request('/status/acme/shop')).status).toBe(404);
  });
});
