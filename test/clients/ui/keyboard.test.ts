import type { KeyInput, Page } from 'puppeteer-core';
import { expect, it } from 'vitest';
import { rootUser } from '../../support/platform/test-platform.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { operate, setUp, ship, walk, type Walk } from './first-day.ts';
import { button, createKeyboard, inDialog, waitMs } from './hands.ts';

/** Presses a key until it moves the focus: a menu that still opens can take the focus back after the first press. */
async function pressUntil(page: Page, key: KeyInput, selector: string): Promise<void> {
  for (const deadline = Date.now() + waitMs; ;) {
    await page.keyboard.press(key);
    const found = await page.waitForSelector(selector, { timeout: 2_000 }).catch((error: unknown) => error);
    if (!(found instanceof Error)) return;
    if (Date.now() > deadline) throw found;
  }
}

async function signInAgain({ page, hand, see }: Walk): Promise<void> {
  await hand.press('aside button ::-p-text(root)');
  await see('[role=menu] [role^=menuitem]:focus');
  await pressUntil(page, 'End', '[role=menuitem]:focus ::-p-text(Sign out)');
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
  await pressUntil(page, 'Home', '[role=menuitem]:focus ::-p-text(In progress)');
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
});
