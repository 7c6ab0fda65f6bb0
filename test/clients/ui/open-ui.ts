import type { Page } from 'puppeteer-core';
import { expect } from 'vitest';
import { openChromium } from '../../support/servers/open-chromium.ts';
import { credentials, startUi, type UiOptions } from './ui-fixture.ts';

/**
 * Opens the UI in a browser and records what a correct page never does. The browser reports requests that are rejected:
 * `expected` are those that a test provokes.
 */
export async function openUi({ expected = [], ...options }: UiOptions & { expected?: RegExp[] } = {}) {
  const world = await startUi(options);
  const page = await openChromium();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('console', (message) => {
    // The browser reports the status of requests: before the sign-in, of the Change that does not exist, and of
    // comparisons and diffs when the org has no code host.
    const isExpected = [message.text(), message.location().url ?? ''].some((text) =>
      [/401 \(Unauthorized\)|\/none$|\/compare(\?|$)|\/diff\?/, ...expected].some((pattern) => pattern.test(text)),
    );
    if (['error', 'warn'].includes(message.type()) && !isExpected) faults.push(message.text());
  });
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    if (![world.url, options.codehost].includes(new URL(request.url()).origin) && !/^(blob|data):/.test(request.url()))
      faults.push(`foreign request: ${request.url()}`);
  });
  const open = async (path: string): Promise<void> => {
    await page.goto(world.url + path, { waitUntil: 'domcontentloaded' });
    await page.waitForSelector('h1').catch(async (error: unknown) => {
      const html = String(await read(page, "document.querySelector('#root').innerHTML.slice(0, 2_000)"));
      throw new Error(`${path} has no heading: ${html} ${faults.join('\n')}`, { cause: error });
    });
  };
  /**
   * Opens a page as a link does, without loading the site again; waits until the page takes the focus. A dialog that an
   * address opens takes it from the heading.
   */
  const follow = async (path: string): Promise<void> => {
    await page.evaluate(`document.activeElement.blur(); history.pushState({}, '', ${JSON.stringify(path)})`);
    await page
      .waitForSelector('h1:focus, [role=dialog]:focus-within', { timeout: 60_000 })
      .catch(async (error: unknown) => {
        const focused = String(await read(page, 'document.activeElement.outerHTML.slice(0, 200)'));
        throw new Error(`The heading of ${path} does not get the focus, but ${focused}`, { cause: error });
      });
  };
  /** Opens a page as a link does, or again if it is open. */
  const show = async (path: string): Promise<void> => {
    const isOpen = new URL(page.url()).pathname === new URL(path, world.url).pathname;
    await (isOpen ? open(path) : follow(path));
  };
  return { ...world, page, faults, open, follow, show };
}

/** The value of a JavaScript expression in the page. */
export const read = async (page: Page, expression: string): Promise<unknown> => await page.evaluate(expression);

/** A page must not be wider than its window. This waits, because a chart takes a new width in a later frame. */
export const expectToFit = async (page: Page, width: number, message = ''): Promise<void> =>
  await expect
    .poll(async () => await read(page, 'document.documentElement.scrollWidth'), { message: `${message} ${width}` })
    .toBe(width);

/** Makes the timers of the pages that are opened from now on faster, by which a page reads again and again. */
export async function hurry(page: Page, times: number): Promise<void> {
  await page.evaluateOnNewDocument(`
    for (const name of ['setTimeout', 'setInterval']) {
      const original = window[name];
      window[name] = (run, ms = 0, ...rest) => original(run, ms / ${times}, ...rest);
    }
  `);
}

/** The text of the page without durations, which change each second where something runs. */
const textOfPage = String.raw`document.body.innerText.replace(/(\d+ (d|h|min|s)\b ?)+/g, '#')`;

/** Waits until an expression keeps its value, because nothing is loading any more. */
export async function settle(page: Page, expression = textOfPage): Promise<void> {
  let before: string | undefined;
  let same = 0;
  const countSame = async (): Promise<number> => {
    const now = JSON.stringify(await read(page, expression));
    same = now === before ? same + 1 : 0;
    before = now;
    return same;
  };
  await expect.poll(countSame, { interval: 100 }).toBeGreaterThanOrEqual(4);
}

/** Signs in with the keyboard alone: the first field has the focus. Waits for the page, which comes later than its frame. */
export async function signIn(page: Page, email = credentials.email): Promise<void> {
  await page.waitForSelector('input[name=email]:focus');
  await page.keyboard.type(email);
  await page.keyboard.press('Tab');
  await page.keyboard.type(credentials.password);
  await page.keyboard.press('Enter');
  await page.waitForSelector('nav[aria-label=Main]');
  await page.waitForSelector('main h1');
}
