import type { HTTPRequest } from 'puppeteer-core';
import { expect, it } from 'vitest';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { openUi, signIn } from './open-ui.ts';
import { seedShop } from './seed-shop.ts';

/** Opens the palette on the first page, and types a text that finds a Product first. */
async function findShop() {
  const { page, url, store } = await openUi();
  await seedShop(store);
  await page.goto(url);
  await signIn(page);
  await page.waitForSelector('aside ::-p-text(Live)');
  await page.keyboard.down('Control');
  await page.keyboard.press('k');
  await page.keyboard.up('Control');
  await page.waitForSelector('[role=dialog] input:focus');
  await page.keyboard.type('shop');
  await page.waitForSelector('[role=option] ::-p-text(Hold the fare)');
  return page;
}
const change = '/acme/changes/change-shop-418';

describeWithChromium('the palette', () => {
  it('opens what was typed, and not what an earlier text has found', async () => {
    const page = await findShop();
    const held: HTTPRequest[] = [];
    await page.setRequestInterception(true);
    page.on('request', (request) => {
      if (/\/v1\/find\?.*418/.test(request.url())) held.push(request);
      else void request.continue();
    });
    await page.keyboard.type(' 418');
    await page.keyboard.press('Enter');
    await expect.poll(() => held.length).toBe(1);
    for (const request of held) await request.continue();
    await page.waitForFunction(`location.pathname === '${change}'`);
  });

  it('works on a machine without a network', async () => {
    const page = await findShop();
    await page.evaluate("dispatchEvent(new Event('offline'))");
    await page.keyboard.type(' 418');
    await page.keyboard.press('Enter');
    await page.waitForFunction(`location.pathname === '${change}'`);
    await page.waitForSelector('h1 ::-p-text(Hold the fare)');
  });
});
