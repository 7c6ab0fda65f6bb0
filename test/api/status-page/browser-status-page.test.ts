import type { Page } from 'puppeteer-core';
import { expect, it, onTestFinished } from 'vitest';
import { reservePort } from '../../support/servers/reserve-ports.ts';
import { startHttpServer } from '../../../src/main/process/start-http-server.ts';
import { IncidentKind } from '../../../src/rules/incidents/kinds.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { openChromium, readPage } from '../../support/servers/open-chromium.ts';
import { startApi } from '../../support/start-api.ts';
import { findBarriers } from '../../clients/ui/find-barriers.ts';
import { seedIncident, seedShop } from './seed-status.ts';

const person = 'jo.private@example.com';
const hostile = '"><img src=x onerror="window.ran=1"><script>window.ran=2</script> \u202Edrowssap';

/** Serves the API, and opens pages in browsers of strangers. */
async function openWorld() {
  const port = await reservePort();
  const publicUrl = `http://localhost:${port}`;
  let now = 0;
  const api = await startApi({ config: { publicUrl }, statusPageClock: () => now });
  const server = await startHttpServer(api.app, { port, host: '127.0.0.1' });
  onTestFinished(async () => await server.stop(0));
  const page = await openChromium();
  await page.setCacheEnabled(false);
  const faults: string[] = [];
  page.on('console', (message) => void (message.type() === 'error' && faults.push(message.text())));
  // The reader comes back after a minute, when no cache has a page that is new enough.
  const open = async () => {
    now += 60_000;
    return await page.goto(`${publicUrl}/status/acme/shop`);
  };
  return { ...api, page, open, faults, publicUrl };
}
type World = Awaited<ReturnType<typeof openWorld>>;

/** Opens the page until it shows the text, as a reader does who loads it again. */
const waitForText = async ({ page, open }: World, text: string): Promise<void> =>
  await expect.poll(async () => (await open(), await readPage(page))).toContain(text);

const addEvents = async ({ store }: World, change: object, events: object[]): Promise<void> => {
  await store.updateStatus(
    IncidentKind,
    { namespace: 'org-acme', name: 'i1' },
    ({ status }) =>
      ({
        ...status,
        ...change,
        timeline: [...(status?.timeline ?? []), ...events],
      }) as never,
  );
};

/** Lists barriers and texts that leave the screen, in both themes and on a wide and a narrow screen. */
async function findFaults(page: Page): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const theme of ['light', 'dark'])
    for (const width of [1280, 320]) {
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }]);
      await page.setViewport({ width, height: 800 });
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      found.push(...(await findBarriers(page)), ...(Number(overflow) > 0 ? [`${width}: ${String(overflow)} px`] : []));
    }
  return found;
}

describeWithChromium('the status page in the browser of a stranger', () => {
  it('turns with an incident, shows public notes, and turns back when it is resolved', async () => {
    const world = await openWorld();
    const { store, page, open, faults } = world;
    expect((await open())?.status()).toBe(404);
    expect(await readPage(page)).toContain('There is no status page at this address');
    await seedShop(store);
    await waitForText(world, 'Shop is operational');
    expect(await findFaults(page)).toEqual([]);

    await seedIncident(store, { name: 'i1', spec: { zone: 'shop-prod', openedBy: person, title: 'db-7 is full' } });
    await waitForText(world, 'Shop is down');
    expect(await readPage(page)).toMatch(/Outage\s+shop-prod, since/);
    const at = new Date().toISOString();
    await addEvents(world, { state: 'Acknowledged', acknowledgedAt: at, acknowledgedBy: person }, [
      { type: 'acknowledged', at, by: person },
      { type: 'note', at, by: person, text: 'Ask Jo for the key of db-7.' },
    ]);
    await waitForText(world, 'People are working on it.');
    expect(await page.content()).not.toMatch(/db-7|jo\.private|Jo /);
    await addEvents(world, {}, [{ type: 'note', at, by: person, text: 'Orders wait, none is lost.', public: true }]);
    await waitForText(world, 'Orders wait, none is lost.');
    expect(await findFaults(page)).toEqual([]);
    expect(await page.content()).not.toMatch(/jo\.private|Ask Jo/);

    await addEvents(world, { state: 'Resolved', resolvedAt: at, resolvedBy: person }, [
      { type: 'resolved', at, by: person, text: 'Jo deleted logs.' },
    ]);
    await waitForText(world, 'Shop is operational');
    expect(await readPage(page)).toMatch(/Last 14 days\s+db-7 is full\s/);
    expect(await page.content()).not.toMatch(/jo\.private|Jo deleted/);
    expect(faults.filter((fault) => !fault.includes('404'))).toEqual([]);
  });

  it('shows hostile texts as text', async () => {
    const world = await openWorld();
    const at = new Date().toISOString();
    await seedShop(world.store, { displayName: hostile.slice(0, 100) });
    await seedIncident(world.store, {
      name: 'i1',
      spec: { title: hostile },
      status: { timeline: [{ type: 'opened', at, by: person, text: hostile, public: true }] },
    });
    await world.open();
    expect(await readPage(world.page)).toContain('"><img src=x onerror="window.ran=1">');
    expect(await world.page.evaluate('window.ran')).toBeUndefined();
    expect(await world.page.content()).not.toContain('\u202E');
    expect(await world.page.evaluate('document.querySelectorAll("script, img").length')).toBe(0);
    expect(await findFaults(world.page)).toEqual([]);
  });

  it('is styled under its strict policy and reads well without a script', async () => {
    const { store, page, open } = await openWorld();
    await page.setJavaScriptEnabled(false);
    await seedShop(store);
    const policy = (await open())?.headers()['content-security-policy'];
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/]+=*'; base-uri 'none'/);
    expect(await page.evaluate('getComputedStyle(document.querySelector("h1")).fontSize')).toBe('26px');
  });
});
