import type { Page } from 'puppeteer-core';
import { expect, it } from 'vitest';
import { isExhaustive, sample } from '../../support/sample.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { findHiddenFocus } from './focus.ts';
import { openPages } from './open-pages.ts';
import { read, signIn } from './open-ui.ts';
import { overlays } from './overlays.ts';
import { pages } from './pages.ts';

/** The pages have fewer elements that take the focus. */
const stopsMax = 250;

const delayFrames = `{
  const request = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (callback) => request(() => setTimeout(() => callback(performance.now()), 200));
}`;

/** Walks with Tab from where the focus is to the end of the page or its part, and lists what a person would not see. */
async function findHiddenStops(page: Page, part: 'body' | 'main'): Promise<string[]> {
  const faults: string[] = [];
  for (let stops = 0; stops < stopsMax; stops++) {
    await page.keyboard.press('Tab');
    const fault = await findHiddenFocus(page, part);
    if (fault === 'outside') return faults;
    if (fault !== undefined) faults.push(fault);
  }
  throw new Error(`The page has more than ${stopsMax} stops.`);
}

describeWithChromium('the focus', () => {
  it('is shown on every page, and reaches Approve with five Tabs after the skip link', async () => {
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

  it('leaves a page before a dialog hides it, also when no frame follows', async () => {
    const { page, faults, open } = await openPages({ issues: 1 });
    await open('/signin');
    await signIn(page);
    // Chromium reports a focus in a hidden page only while it computes what a screen reader reads.
    const session = await page.createCDPSession();
    await session.send('Accessibility.enable');
    await page.evaluateOnNewDocument(delayFrames);
    // A page that is left asks about what was typed, and a menu opens only in the next frame.
    const others = ['parts/unsaved.tsx', 'shell/person-menu.tsx', 'shell/live-dot.tsx'];
    const dialogs = overlays.filter(({ file }) => !others.includes(file));
    for (const { file, path, open: openDialog, shown } of sample(dialogs, 6)) {
      await open(path);
      await openDialog(page);
      await page.waitForSelector(shown);
      await page.waitForFunction(`document.activeElement.matches('${shown} *')`).catch(async (error: unknown) => {
        const focused = String(await read(page, 'document.activeElement.outerHTML.slice(0, 200)'));
        throw new Error(`${file} leaves the focus at ${focused}`, { cause: error });
      });
      expect(faults, file).toEqual([]);
    }
  });

  it('stays in the field of a dialog that a person has chosen before the next frame', async () => {
    const { page, faults, open } = await openPages();
    await open('/signin');
    await signIn(page);
    await page.evaluateOnNewDocument(delayFrames);
    await open('/acme/products/shop/zones/shop-prod');
    await page.locator('main button ::-p-text(Freeze…)').click();
    await page.locator('[role=dialog] input[name=until]').wait();
    await page.focus('[role=dialog] input[name=until]');
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
    expect(await read(page, 'document.activeElement.name')).toBe('until');
    expect(faults).toEqual([]);
  });
});
