import type { Page } from 'puppeteer-core';
import { expect, it } from 'vitest';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { openChromium } from '../../support/servers/open-chromium.ts';
import { changePath, startUiByAddress } from './live-fixture.ts';
import { read, signIn } from './open-ui.ts';

/** Pastes into a field of another page, as a person would. */
async function paste(page: Page): Promise<unknown> {
  const other = await page.browserContext().newPage();
  await other.setContent('<textarea></textarea>');
  await other.focus('textarea');
  await other.keyboard.press('v', { commands: ['Paste'] });
  const text = await read(other, "document.querySelector('textarea').value");
  await other.close();
  await page.bringToFront();
  return text;
}

/** Presses each button that copies the text before it, and pastes. */
async function copyEach(page: Page, place: string): Promise<number> {
  const buttons = await page.$$(`${place} :is(code, pre) + button`);
  for (const button of buttons) {
    const text = await button.evaluate((element) => element.previousElementSibling?.textContent);
    expect(text).toBeTruthy();
    await button.click();
    // The browser writes to the clipboard after the click.
    await expect.poll(async () => await paste(page)).toBe(text);
    // The page itself has the focus again only some time after it was brought to the front.
    expect(await button.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
  }
  return buttons.length;
}

describeWithChromium('buttons that copy, on plain http', () => {
  it.each(['its IP address', 'localhost'] as const)('put the text into the clipboard, by %s', async (host) => {
    const { urls } = await startUiByAddress();
    const page = await openChromium();
    await page.setViewport({ width: 1440, height: 900 });
    const domainPath = '/acme/domains/northisles.test';
    await page.goto(`${urls[host]}/signin?to=${encodeURIComponent(domainPath)}`);
    await signIn(page);
    await page.waitForSelector('#records');
    // The explanation above the records arrives later, and moves their buttons.
    await page.waitForSelector('[aria-labelledby=why] li');
    expect(await copyEach(page, 'main')).toBeGreaterThanOrEqual(4);
    await page.locator('button ::-p-text(Copy as a zone file)').click();
    // A button of another section says so already.
    await page.waitForSelector('section[aria-labelledby=records] button ::-p-text(Copied)');
    expect(await paste(page)).toMatch(/\bTXT\b/);

    await page.goto(urls[host] + changePath);
    await page.waitForSelector('main :is(code, pre) + button');
    expect(await copyEach(page, 'main')).toBeGreaterThanOrEqual(1);
    await page.keyboard.press('Escape');
    await page.locator('button ::-p-text(Find or run a command)').click();
    await page.locator('[role=dialog] input').fill('Copy as curl');
    await page.waitForSelector('[role=option] ::-p-text(Copy as curl)');
    await page.keyboard.press('Enter');
    await page.waitForSelector('[role=dialog]', { hidden: true });
    await expect.poll(async () => await paste(page)).toMatch(/^curl .*\/acme\//);

    // A dialog keeps the focus inside of itself, and a person quotes the id of a request that was refused in it.
    await page.goto(`${urls[host]}/acme/changes`);
    await page.locator('button ::-p-text(Start a Change)').click();
    await page.locator('[role=dialog] input[inputmode=numeric], [role=dialog] input[type=number]').fill('1');
    await page.locator('[role=dialog] button[type=submit]').click();
    await page.waitForSelector('[role=dialog] [role=alert] button');
    expect(await copyEach(page, '[role=dialog]')).toBe(1);
  });
});
