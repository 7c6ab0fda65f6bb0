import type { Page } from 'puppeteer-core';
import { expect, it } from 'vitest';
import { rootUser } from '../../support/platform/test-platform.ts';
import { isExhaustive } from '../../support/sample.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { button, inDialog, operate, setUp, ship, walk, type Walk } from './first-day.ts';
import { findHiddenFocus } from './focus.ts';
import { createKeyboard } from './hands.ts';
import { openPages } from './open-pages.ts';
import { read, signIn } from './open-ui.ts';
import { pages } from './pages.ts';

async function signInAgain({ page, hand, see }: Walk): Promise<void> {
  await hand.press('aside button ::-p-text(root)');
  await see('[role=menu] [role^=menuitem]:focus');
  await page.keyboard.press('ArrowUp');
  await see('[role=menuitem]:focus ::-p-text(Sign out)');
  await page.keyboard.press('Enter');
  await hand.fill('input[name=email]', rootUser.email);
  await hand.fill('input[name=password]', rootUser.password);
  await page.keyboard.press('Enter');
  await see('nav[aria-label=Main]');
}

/** The first move is by the key of the cards, the second by their menu. */
async function moveOnBoard({ page, hand, take, see }: Walk): Promise<void> {
  await hand.press('aside a[href="/acme"]');
  await hand.press('main a[href="/acme/products/fresh"]');
  await hand.press('main a ::-p-text(Board)');
  await hand.press(button('New issue'));
  await hand.fill('[role=dialog] input', 'Say hello');
  await page.keyboard.press('Enter');
  await hand.press(inDialog('Close'));
  const card = (column: string): string => `[data-column="${column}"] [data-card="acme/fresh#3"]:not([data-moving]) a`;
  await hand.reach(card('Backlog'));
  await page.keyboard.press('m');
  await see('[role=menu]:focus');
  await page.keyboard.press('ArrowDown');
  await see('[role=menuitem]:focus ::-p-text(In progress)');
  await take('move');
  await page.keyboard.press('Enter');
  await see(`${card('In progress')}:focus`);
  await page.keyboard.press('Tab');
  await see('button[aria-label="Move #3 to…"]:focus');
  await page.keyboard.press('Enter');
  await see('[role=menuitem]:focus ::-p-text(Backlog)');
  await page.keyboard.press('Enter');
  await hand.press('[role=alertdialog] button ::-p-text(Cancel the Change)');
  await see(card('Backlog'));
  await take('moved-back');
}

async function keepDomain({ page, hand, take, see }: Walk): Promise<void> {
  await hand.press('aside a[href="/acme/domains"]');
  await hand.press(button('Add domain'));
  await hand.fill('[role=dialog] input[name=name]', 'isles.example.com');
  await page.keyboard.press('Enter');
  await see('h1 ::-p-text(isles.example.com)');
  await see('button[aria-label="Copy the value of the TXT record"]');
  await take('domain');
  await hand.press('main button ::-p-text(Remove…)');
  await hand.press(inDialog('Remove isles.example.com'));
  await see('h1 ::-p-text(Domains)');
}

/** The pages have fewer elements that take the focus. */
const stopsMax = 250;

/** Walks with Tab from where the focus is to the end of the page or its part, and lists what a person would not see. */
async function findHiddenStops(page: Page, part: 'body' | 'main'): Promise<string[]> {
  const faults: string[] = [];
  for (let stops = 0; stops < stopsMax; stops++) {
    await page.keyboard.press('Tab');
    if (await read(page, `document.activeElement === document.body || !document.activeElement.closest('${part}')`))
      return faults;
    const fault = await findHiddenFocus(page);
    if (fault !== undefined) faults.push(fault);
  }
  throw new Error(`The page has more than ${stopsMax} stops.`);
}

describeWithChromium('the UI by the keyboard alone', () => {
  it('leads from the setup to production and back, moves cards, adds a domain and removes a zone, without a mouse event', async () => {
    const hidden: string[] = [];
    const pointers: string[] = [];
    const watch = async ({ page }: Walk): Promise<void> => {
      await page.exposeFunction('recordPointer', (type: string) => pointers.push(type));
      await page.evaluateOnNewDocument(`
        for (const type of ['pointerdown', 'pointermove', 'mousedown', 'mousemove', 'touchstart'])
          addEventListener(type, () => recordPointer(type), true);
      `);
    };
    await walk('keyboard', (page) => createKeyboard(page, hidden), [
      watch,
      setUp,
      ship,
      operate,
      signInAgain,
      moveOnBoard,
      keepDomain,
    ]);
    expect(pointers).toEqual([]);
    expect(hidden).toEqual([]);
  });

  it('shows the focus on every page, and reaches Approve with five Tabs after the skip link', async () => {
    const { page, faults, open, follow } = await openPages();
    // After its last stop, a page leaves the focus to the browser.
    await page.emulateFocusedPage(true);
    await open('/acme/changes/change-shop-418');
    expect(await findHiddenStops(page, 'body')).toEqual([]);
    await page.focus('input[name=email]');
    await signIn(page);
    await open('/acme/changes/change-shop-418');
    await page.waitForSelector('#skip-links a');
    await page.keyboard.press('Tab');
    expect(await read(page, 'document.activeElement.innerText')).toBe('Skip to the decision');
    await page.keyboard.press('Enter');
    const labels: unknown[] = [];
    while (!/^Approve\s/.test(String(labels.at(-1))) && labels.length < 9) {
      await page.keyboard.press('Tab');
      labels.push(await read(page, 'document.activeElement.innerText'));
    }
    expect(labels.length, labels.join()).toBeLessThanOrEqual(5);

    const hidden: unknown[] = [];
    for (const width of isExhaustive ? [1440, 390] : [1440]) {
      await page.setViewport({ width, height: 900 });
      await open('/help');
      for (const fault of await findHiddenStops(page, 'body')) hidden.push(['the frame', width, fault]);
      for (const [path] of pages) {
        await follow(path);
        await page.evaluate("document.querySelector('main').focus()");
        for (const fault of await findHiddenStops(page, 'main')) hidden.push([path, width, fault]);
      }
    }
    expect(hidden).toEqual([]);
    expect(faults).toEqual([]);
  });
});
