import { setTimeout } from 'node:timers/promises';
import type { Page } from 'puppeteer-core';
import { expect, it } from 'vitest';
import { pushBranch, startShopFixture } from '../../emulators/codehost/codehost-fixture.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { connectCodehost, patchRun, seedChangePages } from './change-fixture.ts';
import { openUi, read, signIn } from './open-ui.ts';
import { seedShop } from './seed-shop.ts';

const run = 'change-shop-418';
const path = `/acme/changes/${run}/diff`;

async function openShop() {
  const shop = await startShopFixture();
  const ui = await openUi({ codehostApiUrl: shop.codehost.apiUrl });
  await ui.page.setViewport({ width: 1280, height: 800 });
  await seedShop(ui.store);
  return { ...ui, shop };
}

/** Presses keys before the page can show what the first of them does. */
const pressAtOnce = async (page: Page, keys: string[]): Promise<unknown> =>
  await page.evaluate(`for (const key of ${JSON.stringify(keys)})
    document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))`);

const readFile = (file: string): string => `document.querySelector('[data-file="${file}"]').innerText`;

describeWithChromium('the diff of a Change in a browser', () => {
  it('is read by keyboard file by file, keeps what was seen and typed, and says when the head has moved', async () => {
    const { page, faults, open, store, shop } = await openShop();
    await connectCodehost(store, shop);
    await seedChangePages(store, shop);
    await open(`/acme/changes/${run}`);
    await signIn(page);
    await page.locator('#note').fill('Seen with the customer');
    await page.locator('#decision a ::-p-text(3 files)').click();
    await page.locator('main a ::-p-text(To the decision)').click();
    await page.waitForSelector('#note');
    expect(await read(page, "document.querySelector('#note').value")).toBe('Seen with the customer');
    await page.locator('#decision a ::-p-text(3 files)').click();
    await page.waitForSelector('h1:focus');
    expect(await read(page, 'document.activeElement.innerText')).toBe('3 files, +4 −2');

    await page.waitForSelector('[data-file="src/pay.ts"] ins');
    expect(await read(page, `[...document.querySelectorAll('ins, del')].map((one) => one.innerText)`)).toEqual([
      'quote',
      'heldFare',
    ]);
    // A screen reader tells the file of a table, and says in words what became of a line.
    await page.waitForSelector('::-p-aria([name="Changes of src/pay.ts"][role="table"])');
    await page.waitForSelector('::-p-aria([name="Removed: const fare = await quote(booking);"][role="cell"])');
    await page.waitForSelector('::-p-aria([name="Added: const fare = await heldFare(booking);"][role="cell"])');
    // The content of a file is text; a lock file is closed until it is asked for.
    expect(await read(page, readFile('README.md'))).toContain('<script>alert(1)</script>');
    expect(await read(page, readFile('package-lock.json'))).not.toContain('{}');

    // Each key is about the file that the one before has led to, however soon it follows.
    await pressAtOnce(page, ['n', 'v']);
    await page.waitForFunction(`location.search === '?file=README.md'`);
    await page.waitForFunction(`document.querySelector('main')?.innerText.includes('You have seen 1 of 3.')`);
    await pressAtOnce(page, ['n', 'n']);
    await page.waitForFunction(`decodeURIComponent(location.search) === '?file=src/pay.ts'`);
    await page.waitForFunction(`document.activeElement.ariaLabel === 'Lines of src/pay.ts'`);
    await page.locator('button ::-p-text(Split)').click();
    await page.waitForSelector('table.diff-split');

    await open(`${path}?view=split&file=src/pay.ts&q=pay`);
    await page.waitForSelector('[data-file="src/pay.ts"] table.diff-split ins');
    expect(await read(page, `document.querySelectorAll('[data-file]').length`)).toBe(1);
    expect(await read(page, `document.querySelector('main').innerText`)).toContain('You have seen 1 of 3.');

    await page.keyboard.press('v');
    await page.waitForSelector('[data-file="src/pay.ts"] table', { hidden: true });
    const files = { 'src/hold.ts': 'export const minutes = 10;\n' };
    const headSha = await pushBranch(shop.codehost, {
      token: shop.codehost.userToken,
      branch: `service/${run}`,
      files,
    });
    await patchRun(store, run, (status) => ({
      ...status,
      pullRequest: { number: 1, url: 'http://localhost:3000/acme/shop/pulls/1', ...status.pullRequest, headSha },
    }));
    await page.waitForSelector(`button ::-p-text(Show ${headSha.slice(0, 7)})`);
    // The lines that a person reads are not replaced by themselves.
    await setTimeout(2_000);
    expect(await read(page, `document.querySelector('h1').innerText`)).toBe('3 files, +4 −2');
    await page.locator(`button ::-p-text(Show ${headSha.slice(0, 7)})`).click();
    await page.waitForFunction(`document.querySelector('h1')?.innerText === '4 files, +5 −2'`);
    expect(await read(page, `document.querySelector('main').innerText`)).toContain('You have seen 0 of 4.');
    await page.waitForSelector('[data-file="src/pay.ts"] table');

    await patchRun(store, run, (status) => ({ ...status, mergeCommit: 'c0ffee1'.padEnd(40, '0') }));
    await page.waitForSelector('[role=status] ::-p-text(The pull request was merged as)');
    expect(faults).toEqual([]);
  });
});
