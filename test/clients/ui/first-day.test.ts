import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { expect, it } from 'vitest';
import { rootUser, TestPlatform } from '../../support/platform/test-platform.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { openChromium } from '../../support/servers/open-chromium.ts';

const button = (name: string): string => `button ::-p-text(${name})`;
const link = (name: string): string => `main a ::-p-text(${name})`;

/** Keeps a picture of each step with the build of the UI. */
async function createCamera(page: Page): Promise<(step: string) => Promise<void>> {
  const folder = join(import.meta.dirname, '../../../node_modules/.cache/ui-pictures');
  await mkdir(folder, { recursive: true });
  let steps = 0;
  return async (step) => {
    steps += 1;
    await page.screenshot({ path: join(folder, `${String(steps).padStart(2, '0')}-${step}.png`) });
  };
}

const waitMs = 90_000;

const createHand = (page: Page) => ({
  press: async (selector: string): Promise<void> => await page.locator(selector).setTimeout(waitMs).click(),
  fill: async (selector: string, text: string): Promise<void> =>
    await page.locator(selector).setTimeout(waitMs).fill(text),
});

/** Walks without a request of its own: everything is read and decided on pages. */
async function walk(): Promise<void> {
  const platform = await TestPlatform.start();
  const page = await openChromium();
  try {
    await page.setViewport({ width: 1440, height: 900 });
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(String(error)));
    // The code host asks for the name and password of its owner.
    const token = (await readFile(join(platform.dataDir, 'codehost', 'token'), 'utf8')).trim();
    await page.authenticate({ username: 'owner', password: token });
    const hand = createHand(page);
    const take = await createCamera(page);
    const see = async (selector: string): Promise<void> => {
      await page.waitForSelector(selector, { timeout: waitMs });
    };
    const setupToken = (await readFile(join(platform.dataDir, 'setup-token'), 'utf8')).trim();

    await page.goto(`${platform.url}/setup#${setupToken}`);
    await hand.fill('input[name=email]', rootUser.email);
    await hand.fill('input[name=password]', rootUser.password);
    await take('root-user');
    await hand.press(button('Create the root user'));
    await hand.fill('input[name=name]', 'acme');
    await take('org');
    await hand.press(button('Create the org'));
    await take('codehost');
    await hand.press(button('Connect the code host'));
    await hand.press('a ::-p-text(Continue the setup)');
    await take('first-product');
    await hand.press('a ::-p-text(Create a Product)');
    await hand.press('#template-node-service');
    await hand.fill('input[name=name]', 'fresh');
    await take('new-product');
    await hand.press(button('Create the Product'));
    await see('h2 ::-p-text(This Product is being made)');
    await take('being-made');
    await hand.press(link('Review v'));
    await see('[role=dialog] button ::-p-text(Approve)');
    await take('first-promotion');
    await hand.press('[role=dialog] button ::-p-text(Approve)');
    await hand.press('[role=dialog] button ::-p-text(Close)');
    await see('#zone-fresh-prod ~ * ::-p-text(Verified), section:has(#zone-fresh-prod) ::-p-text(Verified)');
    await take('production');

    await hand.press(link('Board'));
    await hand.press(button('New issue'));
    await hand.fill('[role=dialog] input', 'Add a changelog');
    await take('issue');
    await page.keyboard.press('Enter');
    await hand.press('[role=dialog] button ::-p-text(Start a Change)');
    await hand.press(button('Start the Change'));
    await see('h1 ::-p-text(Add a changelog)');
    await take('change');
    await hand.press('#decision a[href$="/diff"]');
    await see('ins ::-p-text(Unreleased), td ::-p-text(Unreleased)');
    await take('diff');
    await hand.press(link('To the decision'));
    await hand.press('summary ::-p-text(implement)');
    await hand.press('main a[href*="/evidence/"]');
    await see('main ::-p-text(pass)');
    await take('evidence');
    await page.goBack();
    await see('#decision');
    await take('decision');
    await hand.press('#decision button ::-p-text(Approve)');
    await see('h2 ::-p-text(Promote v)');
    await hand.press('main button ::-p-text(Approve)');
    await page.waitForFunction(
      "[...document.querySelectorAll('main tr')].some(({ innerText }) => /fresh-prod[^]*Verified/.test(innerText))",
      { timeout: waitMs },
    );
    await take('released');
    expect(faults).toEqual([]);
  } finally {
    await platform.remove();
  }
}

describeWithChromium('the first day of a new user', () => {
  it('leads from the printed link through a template, an issue and two approvals to production', walk);
});
