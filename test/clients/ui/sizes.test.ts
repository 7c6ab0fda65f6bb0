import type { Page } from 'puppeteer-core';
import { expect, it } from 'vitest';
import { startShopFixture } from '../../emulators/codehost/codehost-fixture.ts';
import { isExhaustive } from '../../support/sample.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { connectCodehost, openPullRequest } from './change-fixture.ts';
import { largeChange, seedLargeOrg, seedLongLists } from './large-org.ts';
import { openPages } from './open-pages.ts';
import { openUi, read, settle, signIn } from './open-ui.ts';
import { watchWork } from './page-work.ts';
import { pages } from './pages.ts';
import { seedShop } from './seed-shop.ts';

const countNodes = `document.querySelectorAll('*').length`;
/** The time to the first screen of a large diff, which only a run of every variant requires, on an idle machine. */
const idleMsMax = 2_000;
/** Pages whose length is that of one text. */
const isDocument = (path: string): boolean => /^\/api\/docs|^\/help|\/diff$/.test(path);

/** The memory of the page's objects after a collection, in megabytes. */
async function readHeap(page: Page): Promise<number> {
  const session = await page.createCDPSession();
  await session.send('HeapProfiler.collectGarbage');
  const { JSHeapUsedSize = 0 } = await page.metrics();
  return JSHeapUsedSize / 1_000_000;
}

describeWithChromium('a large org in a browser', () => {
  it('has at most 2,000 elements on each page with 1,000 Changes, 200 Products and 600 zones', async () => {
    const { page, faults, open, follow, store } = await openPages({ issues: 120 });
    await seedLargeOrg(store);
    await seedLongLists(store);
    const finishWork = await watchWork(page);
    await open('/acme/settings/access');
    await signIn(page);
    const sizes = new Map<string, number>();
    for (const [path] of pages.filter(([one]) => !isDocument(one))) {
      await follow(path);
      await finishWork();
      sizes.set(path, Number(await read(page, countNodes)));
    }
    for (const path of ['/?whose=all', '/acme/releases?product=shop', '/acme/domains/tidewater.test']) {
      await follow(path);
      await finishWork();
      sizes.set(path, Number(await read(page, countNodes)));
    }
    expect([...sizes].filter(([, nodes]) => nodes > 2_000)).toEqual([]);
    expect(sizes.get('/acme')).toBeGreaterThan(500);
    expect(await readHeap(page)).toBeLessThan(150);
    expect(faults).toEqual([]);
  });

  it('keeps the place of a reader of 500 steps while they are rendered', async () => {
    const { page, faults, open, store } = await openUi();
    await seedLargeOrg(store);
    await open(`/acme/changes/${largeChange}`);
    await signIn(page);
    await page.setViewport({ width: 1440, height: 900 });
    await page.waitForSelector('#step-497');
    await page.evaluateOnNewDocument(`
      const look = () => document.querySelector('#decision')
        ? (window.firstHeight = document.documentElement.scrollHeight)
        : requestAnimationFrame(look);
      look();
    `);
    await open(`/acme/changes/${largeChange}`);
    await page.waitForSelector('#step-497');
    const growth = await read(page, 'document.documentElement.scrollHeight - window.firstHeight');
    expect(Math.abs(Number(growth))).toBeLessThan(200);

    const place = 20_000;
    await read(page, `scrollTo(0, ${place})`);
    await page.waitForFunction(`scrollY === ${place}`);
    await settle(page);
    await page.locator('nav[aria-label=Main] a[href="/acme/changes"]').click();
    await page.waitForSelector('main tbody tr');
    await page.goBack();
    await page.waitForSelector('#step-497');
    await settle(page);
    expect(Math.abs(Number(await read(page, 'scrollY')) - place)).toBeLessThan(200);

    await open(`/acme/changes/${largeChange}?step=step-400#step-400`);
    await page.waitForSelector('#step-497');
    await page.waitForFunction(
      `Math.abs(document.querySelector('#step-400').getBoundingClientRect().top) < innerHeight`,
    );
    expect(await read(page, `document.querySelector('#step-400').open`)).toBe(true);
    expect(faults).toEqual([]);
  });

  it('draws little of a diff of 200,000 lines, and all of a file on request', async () => {
    const shop = await startShopFixture();
    const { page, faults, open, store } = await openUi({ codehostApiUrl: shop.codehost.apiUrl });
    await seedShop(store);
    await connectCodehost(store, shop);
    const lines = Array.from({ length: 2_000 }, (_, line) => `const value${line} = ${line};\n`).join('');
    const names = Array.from({ length: 100 }, (_, file) => `src/part-${String(file).padStart(3, '0')}.ts`);
    await openPullRequest(store, shop, 'change-shop-418', Object.fromEntries(names.map((name) => [name, lines])));
    await open('/acme/changes/change-shop-418/diff');
    await signIn(page);
    const isShown = `document.querySelectorAll('[data-file="src/part-000.ts"] tr').length === 400`;
    await page.waitForFunction(isShown);
    await open('/acme/changes/change-shop-418/diff');
    await page.waitForFunction(isShown);
    const shownMs = Number(await read(page, 'performance.now()'));
    process.stdout.write(`The first screen of 200,000 lines is shown after ${Math.round(shownMs)} ms.\n`);
    expect(shownMs).toBeLessThan(isExhaustive ? idleMsMax : Infinity);
    expect(await read(page, `document.querySelector('h1').innerText`)).toBe('100 files, +200,000');
    expect(await read(page, countNodes)).toBeLessThan(20_000);

    await page.locator('[data-file="src/part-000.ts"] button ::-p-text(Show more lines)').click();
    await page.waitForFunction(`document.querySelectorAll('[data-file="src/part-000.ts"] tr').length === 2000`);
    await page.locator('a ::-p-text(part-099)').click();
    await page.waitForSelector('[data-file="src/part-099.ts"] tr');
    await page.waitForFunction(`document.querySelectorAll('[data-file="src/part-000.ts"] tr').length === 0`);
    expect(await read(page, countNodes)).toBeLessThan(20_000);
    expect(await readHeap(page)).toBeLessThan(300);
    expect(faults).toEqual([]);
  });
});
