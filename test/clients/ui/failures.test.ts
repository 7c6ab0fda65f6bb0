import type { Page } from 'puppeteer-core';
import { expect, it } from 'vitest';
import { rootUser } from '../../support/platform/test-platform.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { openChromium } from '../../support/servers/open-chromium.ts';
import { startFailingPlatform } from './failing-platform.ts';
import { provokeFailures, type Shown } from './provoke-failures.ts';

const fold = 800;

/** The place of the smallest element of the page that holds a text, and whether something else covers it. */
const locate = (text: string): string => `(() => {
  const toPlain = (element) => element.textContent.replace(/\\s+/g, ' ');
  const wanted = ${JSON.stringify(text.replaceAll(/\s+/g, ' ').trim())};
  const element = [...document.querySelectorAll('main *')].find(
    (one) => toPlain(one).includes(wanted) && ![...one.children].some((child) => toPlain(child).includes(wanted)),
  );
  if (!element) return undefined;
  const { top, bottom, left, right } = element.getBoundingClientRect();
  const hit = document.elementFromPoint((left + right) / 2, Math.min(bottom - 1, top + 8));
  return { top, bottom, isCovered: hit === null || !(element.contains(hit) || hit.contains(element)) };
})()`;

async function assertAboveFold(page: Page, { what, texts }: Shown): Promise<void> {
  for (const text of texts) {
    expect(text, `the API tells the cause, the resource and the fix: ${what}`).toBeTruthy();
    await page.waitForFunction(`${locate(text ?? '')} !== undefined`).catch((error: unknown) => {
      throw new Error(`The page does not show "${text}": ${what}.`, { cause: error });
    });
  }
  for (const text of texts) {
    const place = (await page.evaluate(locate(text ?? ''))) as { top: number; bottom: number; isCovered: boolean };
    expect(place.top, `${what}: ${text}`).toBeGreaterThanOrEqual(0);
    expect(place.bottom, `${what}: ${text}`).toBeLessThanOrEqual(fold);
    expect(place.isCovered, `${what}: ${text}`).toBe(false);
  }
  expect(await page.evaluate('scrollY'), what).toBe(0);
}

describeWithChromium('the failures that the service reports', () => {
  it('show their cause, their resource and their fix at their place, without scrolling', async () => {
    const world = await startFailingPlatform();
    const shown = await provokeFailures(world);
    const page = await openChromium();
    await page.setViewport({ width: 1280, height: fold });
    await page.goto(`${world.platform.url}/signin`);
    await page.locator('input[name=email]').fill(rootUser.email);
    await page.locator('input[name=password]').fill(rootUser.password);
    await page.keyboard.press('Enter');
    await page.waitForSelector('nav[aria-label=Main]');
    for (const one of shown) {
      await page.goto(world.platform.url + one.path);
      await page.waitForSelector('h1');
      await assertAboveFold(page, one);
    }
    expect(shown).toHaveLength(12);
  });
});
