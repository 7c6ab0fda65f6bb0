import { expect, it } from 'vitest';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { openUi, read, signIn } from './open-ui.ts';
import { seedShop } from './seed-shop.ts';
import { rootEmail } from './ui-fixture.ts';

describeWithChromium('two people at one browser', () => {
  it('see nothing of each other, neither in a list nor in what the browser keeps', async () => {
    const { page, url, store, faults } = await openUi();
    await seedShop(store);
    await page.setViewport({ width: 1440, height: 900 });
    await page.goto(`${url}/signin?to=/acme/changes/change-shop-418`);
    await signIn(page);
    await page.waitForSelector('h1 ::-p-text(Hold the fare)');
    await page.evaluate(`localStorage.setItem('viewed change-shop-418', '{"head":"1","paths":["fare.ts"]}')`);
    await page.locator('aside button ::-p-text(priya)').click();
    await page.locator('[role=menuitem] ::-p-text(Sign out)').click();
    await page.waitForSelector('h1 ::-p-text(Sign in)');
    expect(await read(page, 'JSON.stringify({ ...localStorage, ...sessionStorage })')).not.toContain('fare');

    await page.focus('input[name=email]');
    await signIn(page, rootEmail);
    await page.waitForSelector('aside ::-p-text(Live)');
    await page.keyboard.down('Control');
    await page.keyboard.press('k');
    await page.keyboard.up('Control');
    await page.waitForSelector('[role=dialog] input:focus');
    await page.waitForSelector('[role=option]');
    expect(await read(page, "document.querySelector('[role=dialog]').innerText")).not.toContain('fare');
    expect(faults).toEqual([]);
  });

  it('lose the pages of the first person in all tabs once the second has signed in', async () => {
    const { page, url, store } = await openUi();
    await seedShop(store);
    await page.goto(`${url}/signin?to=/acme/changes/change-shop-418`);
    await signIn(page);
    await page.waitForSelector('h1 ::-p-text(Hold the fare)');
    const other = await page.browserContext().newPage();
    await other.goto(`${url}/signin`);
    await signIn(other, rootEmail);
    await page.waitForFunction("document.querySelector('aside')?.innerText.includes('root')", { polling: 100 });
    await page.waitForFunction("document.querySelector('main h1') !== null", { polling: 100 });
    expect(await read(page, 'document.body.innerText')).not.toContain('fare');
  });
});
