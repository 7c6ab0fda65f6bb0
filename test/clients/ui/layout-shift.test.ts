import { expect, it } from 'vitest';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { openPages } from './open-pages.ts';
import { read, settle, signIn } from './open-ui.ts';

/** Adds up the parts of the window that move without an input, as "Cumulative Layout Shift" does. */
const recorder = `
  window.shift = 0;
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.shift += value;
  }).observe({ type: 'layout-shift', buffered: true });
`;

/** Pages with parts that are loaded after the page. */
const paths = [
  '/acme/settings/workflows/nightly',
  '/acme/settings/roles/architect',
  '/acme/products/shop/settings',
  '/acme/changes/change-shop-418/evidence/image',
  '/settings',
];

describeWithChromium('the layout of a page', () => {
  it('keeps its place under the pointer while later parts are loaded over a slow connection', async () => {
    const { page, open } = await openPages();
    await open('/');
    await signIn(page);
    await page.evaluateOnNewDocument(recorder);
    await page.setViewport({ width: 800, height: 600 });
    await page.setCacheEnabled(false);
    await page.emulateNetworkConditions({ download: 1_250_000, upload: 1_250_000, latency: 150 });
    for (const path of paths) {
      await open(path);
      await settle(page);
      expect(await read(page, 'window.shift'), path).toBeLessThan(0.1);
    }

    // A press counts, however early it comes.
    await open('/acme/settings/workflows/nightly');
    await page.waitForSelector('main button ::-p-text(Run now…)').then(async (button) => await button?.click());
    await page.waitForSelector('[role=dialog]');
  });
});
