import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { expect } from 'vitest';
import { TestPlatform } from '../../support/platform/test-platform.ts';
import { openChromium } from '../../support/servers/open-chromium.ts';
import { button, inDialog, link, type Hand, waitMs } from './hands.ts';
import {
  connectCodehost,
  createIssue,
  createOrg,
  createProduct,
  createRootUser,
  skipMetrics,
  startChange,
} from './setup-parts.ts';

/** Keeps a picture of each step with the build of the UI. */
async function createCamera(page: Page, folderName: string): Promise<(step: string) => Promise<void>> {
  const folder = join(import.meta.dirname, '../../../node_modules/.cache/ui-pictures', folderName);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  let steps = 0;
  return async (step) => {
    steps += 1;
    await page.screenshot({ path: join(folder, `${String(steps).padStart(2, '0')}-${step}.png`) });
  };
}

export type Walk = {
  page: Page;
  hand: Hand;
  platform: TestPlatform;
  take: (step: string) => Promise<void>;
  see: (selector: string) => Promise<void>;
  /** Waits until the text of an element matches the pattern. */
  read: (selector: string, pattern: RegExp) => Promise<void>;
};

/** Starts the platform and walks with one hand; the pictures of each step are named for it. */
export async function walk(
  name: string,
  createHand: (page: Page) => Hand,
  steps: ((walk: Walk) => Promise<void>)[],
  { environment = {}, expected = [] }: { environment?: Record<string, string>; expected?: RegExp[] } = {},
): Promise<void> {
  const platform = await TestPlatform.start(environment);
  const page = await openChromium();
  try {
    await page.setViewport({ width: 1440, height: 900 });
    const faults: string[] = [];
    page.on('pageerror', (error) => {
      if (!expected.some((pattern) => pattern.test(String(error)))) faults.push(String(error));
    });
    // The code host asks for the name and password of its owner.
    await page.authenticate({ username: 'owner', password: await platform.codehostToken() });
    const take = await createCamera(page, name);
    const see = async (selector: string): Promise<void> => {
      await page.waitForSelector(selector, { timeout: waitMs });
    };
    const read = async (selector: string, pattern: RegExp): Promise<void> => {
      const expression = `[...document.querySelectorAll(${JSON.stringify(selector)})].some(({ innerText }) => ${pattern}.test(innerText))`;
      await page.waitForFunction(expression, { timeout: waitMs });
    };
    await page.evaluateOnNewDocument(
      `addEventListener('click', ({ target }) => (window.lastClicked = target.outerHTML), true)`,
    );
    const hand = createHand(page);
    for (const step of steps) await step({ page, hand, platform, take, see, read });
    expect(faults).toEqual([]);
  } catch (error) {
    const [clicked, text] = (await page.evaluate('[window.lastClicked, document.body.innerText]')) as string[];
    const place = `At ${page.url()} after a click on ${clicked?.slice(0, 200)}`;
    throw new Error(`${place}:\n${text?.slice(0, 2_000)}`, { cause: error });
  } finally {
    await platform.remove();
  }
}

/** From the printed link to the first version of a Product in production. */
export async function setUp(walk: Walk): Promise<void> {
  const { hand, take, see, read } = walk;
  await createRootUser(walk);
  await see(button('Check these settings'));
  await take('domain');
  await hand.press(button('Skip'));
  await skipMetrics(walk);
  await createOrg(walk);
  await see(button('Connect the code host'));
  await take('codehost');
  await connectCodehost(walk);
  await see('a ::-p-text(Create a Product)');
  await take('first-product');
  await createProduct(walk);
  await see('h2 ::-p-text(This Product is being created)');
  await take('being-made');
  await hand.press(link('Review v'));
  await see(inDialog('Approve'));
  await take('first-promotion');
  await hand.press(inDialog('Approve'));
  await hand.press(inDialog('Close'));
  await read('section[aria-labelledby=zone-fresh-prod]', /Verified/);
  await take('production');
}

/** From an issue on the board to its version in production. */
export async function ship(walk: Walk): Promise<void> {
  const { page, hand, take, see, read } = walk;
  await createIssue(walk);
  await startChange(walk);
  await see('h1 ::-p-text(Add a changelog)');
  await take('change');
  await hand.press('#decision a[href$="/diff"]');
  await read('main', /Unreleased/);
  await take('diff');
  await hand.press(link('To the decision'));
  await hand.press('summary ::-p-text(implement)');
  await hand.press('main a[href*="/evidence/"]');
  await read('main', /pass/);
  await take('evidence');
  await page.goBack();
  await see('#decision');
  await take('decision');
  await hand.press('#decision button ::-p-text(Approve)');
  await see('h2 ::-p-text(Promote v)');
  await take('promotion');
  await hand.press('main #decision button ::-p-text(Approve)');
  await read('main tr', /fresh-prod[^]*Verified/);
  await take('released');
}

/** A setting with its diff, the version before, and the removal of a zone. */
export async function operate({ page, hand, take, see, read }: Walk): Promise<void> {
  await hand.press('main a[href="/acme/products/fresh"]');
  await hand.press('#zone-fresh-prod a');
  // The page of the Product has a link "Settings" too.
  await hand.press('main a[href$="/zones/fresh-prod/settings"]');
  await hand.fill('input[name=memory]', '300Mi');
  await read('section[aria-labelledby=written]', /300Mi/);
  await take('settings');
  await hand.press(button('Write to gitops'));
  await read('main', /The settings are applied/);
  await take('settings-applied');
  await hand.press('header a[href="/acme/products/fresh"]');
  await hand.press('main a[href$="promote=fresh-prod"]');
  await hand.pick('[role=dialog] select', 'v0.1.0');
  await see(button('Roll back to v0.1.0'));
  await take('rollback');
  await hand.press(button('Roll back to v0.1.0'));
  await hand.press(inDialog('Close'));
  await read('section[aria-labelledby=zone-fresh-prod]', /v0\.1\.0\s+On hold after a rollback/);
  // The version that was rolled back would come again.
  await read('section[aria-labelledby=brings]', /Add a changelog/);
  await take('rolled-back');
  await hand.press('#zone-fresh-rc a');
  await hand.press('main a[href$="/zones/fresh-rc/settings"]');
  await hand.press(button('Remove fresh-rc'));
  await hand.fill('[role=dialog] input', 'fresh-rc');
  await take('remove');
  await page.keyboard.press('Enter');
  // The zone may be gone before the page shows that it is being removed.
  await see('h1 ::-p-text(fresh-rc was removed)');
  await take('removed');
}
