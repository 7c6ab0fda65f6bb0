import type { Page } from 'puppeteer-core';
import { expect, it } from 'vitest';
import { AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { hurry, read, signIn } from './open-ui.ts';
import { openPages } from './open-pages.ts';
import { pages } from './pages.ts';

const runningChange = '/acme/changes/change-shop-421';
const paths = [...pages.map(([path]) => path), runningChange];

const countMotions = "document.getAnimations().filter(({ playState }) => playState === 'running').length";
const readTitle = "document.querySelector('h1').innerText";

const letAMinutePass = async (page: Page): Promise<unknown> =>
  await read(page, 'new Promise((resolve) => setTimeout(resolve, 61_000))');

describeWithChromium('motion in a browser', () => {
  it('is what is running, is stopped by Pause, and is none with reduced motion', async () => {
    const { page, faults, open } = await openPages();
    await page.setViewport({ width: 1440, height: 900 });
    await open(runningChange);
    await signIn(page);
    await page.waitForFunction(`${countMotions} > 0`);
    await page.locator('aside button ::-p-text(Live)').click();
    await page.waitForSelector('aside button[aria-pressed=true] ::-p-text(Paused since)');
    expect(await read(page, countMotions)).toBe(0);
    await page.keyboard.press('.');
    await page.waitForFunction(`${countMotions} > 0`);

    await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }]);
    await page.waitForFunction(`${countMotions} === 0`);
    // A page that is still being read.
    await page.setRequestInterception(true);
    page.on('request', (request) => {
      if (!request.url().includes('shop-v1.0.0')) void request.continue();
    });
    await page.evaluate("history.pushState({}, '', '/acme/releases/shop-v1.0.0')");
    await page.waitForSelector('[aria-label=Loading]');
    expect(await read(page, countMotions)).toBe(0);
    await page.emulateMediaFeatures([]);
    await page.waitForFunction(`${countMotions} > 0`);
    expect(faults).toEqual([]);
  });

  it('stops with all updates on every page while it is paused, which is said, and goes on with what was missed', async () => {
    const { page, faults, open, follow, store } = await openPages();
    // A minute passes at once.
    await hurry(page, 400);
    const requests: string[] = [];
    const reading = new Set<string>();
    page.on('request', (request) => {
      if (request.url().includes('/api/')) requests.push(request.url());
      // The script of the worker belongs to no page.
      if (!request.url().includes('worker')) reading.add(request.url());
    });
    for (const end of ['requestfinished', 'requestfailed'] as const)
      page.on(end, (request) => reading.delete(request.url()));
    await page.setViewport({ width: 390, height: 844 });
    await open('/acme/domains');
    await signIn(page);
    const countReads = (): number => requests.filter((url) => url.includes('/domains?')).length;
    await expect.poll(countReads).toBeGreaterThan(3);

    // At this pace the button changes its words, and thus its place, while a mouse is pressed.
    await page.focus('header button[aria-keyshortcuts="."]');
    await page.keyboard.press('Enter');
    await page.waitForSelector('header button[aria-pressed=true] ::-p-text(Paused since)', { visible: true });
    await page.waitForFunction("document.querySelector('[aria-live=polite]')?.innerText?.includes('paused')");
    for (const path of paths) {
      await follow(path);
      await letAMinutePass(page);
      await expect.poll(() => [...reading], { message: path }).toEqual([]);
      const shown = await read(page, 'document.body.innerText');
      requests.length = 0;
      await letAMinutePass(page);
      expect(requests, path).toEqual([]);
      expect(await read(page, 'document.body.innerText'), path).toBe(shown);
    }

    const title = await read(page, readTitle);
    await store.updateStatus(AgentWorkflowRunKind, { namespace: 'org-acme', name: 'change-shop-421' }, (run) => ({
      ...run.status!,
      issue: { url: 'http://localhost:3000/1', ...run.status?.issue, title: 'A title while it was paused' },
    }));
    await letAMinutePass(page);
    expect(await read(page, readTitle)).toBe(title);
    await page.keyboard.press('.');
    await page.waitForFunction(`${readTitle} === 'A title while it was paused'`);
    await page.waitForFunction("document.querySelector('[aria-live=polite]')?.innerText?.includes('have resumed')");
    await follow('/acme/domains');
    requests.length = 0;
    await expect.poll(countReads).toBeGreaterThan(2);
    expect(faults).toEqual([]);
  });
});

describeWithChromium('states in a browser', () => {
  it('are told by an icon and a word to people who see no colour, and by nothing that moves with reduced motion', async () => {
    const { page, faults, open, follow } = await openPages();
    await open('/acme/domains');
    await signIn(page);
    await page.emulateVisionDeficiency('achromatopsia');
    await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }]);
    const shapes = new Map<string, Set<string>>();
    const patterns = new Map<string, Set<string>>();
    const untold: unknown[] = [];
    for (const path of paths) {
      await follow(path);
      expect(await read(page, countMotions), path).toBe(0);
      const found = (await page.evaluate(`(${listStates})()`)) as FoundStates;
      for (const { state, shape } of found.marks) shapes.set(state, (shapes.get(state) ?? new Set()).add(shape));
      for (const { state, pattern } of found.bars) patterns.set(state, (patterns.get(state) ?? new Set()).add(pattern));
      for (const one of found.untold) untold.push([path, one]);
    }
    expect(untold).toEqual([]);
    expect(shapes.size).toBeGreaterThan(4);
    for (const kinds of [shapes, patterns]) {
      const all = [...kinds.values()].flatMap((looks) => [...looks]);
      expect(new Set(all).size, 'each state has one look, which no other state has').toBe(kinds.size);
      expect(all.length).toBe(kinds.size);
    }
    expect(faults).toEqual([]);
  });
});

type FoundStates = {
  marks: { state: string; shape: string }[];
  bars: { state: string; pattern: string }[];
  untold: string[];
};

/**
 * Lists the marks with their shapes, the bars with their patterns, and the states without an icon or a word. Below the
 * screen, an element that is not drawn yet has no `innerText`.
 */
const listStates = String.raw`function () {
  const isShown = (element) => element.checkVisibility() && element.getClientRects().length > 0;
  const places = 'summary, li, tr, [role=row], a, button, p, header, [role=status], [role=alert], [role=dialog], section, main > div';
  const marks = [...document.querySelectorAll('svg[data-state]')].filter(isShown);
  const bars = [...document.querySelectorAll('[class*=bar][data-state]')].filter(isShown);
  const others = [...document.querySelectorAll('[data-state]:not(svg)')].filter((one) => isShown(one) && !bars.includes(one));
  const untold = [];
  for (const mark of marks) {
    const place = mark.closest(places) ?? mark.parentElement;
    if (!/[a-z]{3}/i.test(place.textContent)) untold.push('no word: ' + place.outerHTML.slice(0, 200));
  }
  for (const one of others) {
    const place = one.querySelector('svg') ? one : (one.parentElement.closest(places) ?? one);
    if (!place.querySelector('svg')) untold.push('no icon: ' + one.outerHTML.slice(0, 200));
    if (!/[a-z]{3}/i.test(place.textContent)) untold.push('no word: ' + one.outerHTML.slice(0, 200));
  }
  const strip = (text) => text.replace(/(rgba?|color|oklch|oklab)\([^)]*\)/g, '');
  return {
    marks: marks.map((mark) => ({ state: mark.dataset.state, shape: mark.innerHTML.replace(/class="[^"]*"/g, '') })),
    bars: bars.map((bar) => {
      const { backgroundImage, boxShadow, borderTopStyle } = getComputedStyle(bar);
      return { state: bar.dataset.state, pattern: [strip(backgroundImage), strip(boxShadow), borderTopStyle].join() };
    }),
    untold,
  };
}`;
