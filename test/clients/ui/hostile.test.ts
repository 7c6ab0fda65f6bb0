import { expect, it } from 'vitest';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { readPage } from '../../support/servers/open-chromium.ts';
import { operate } from './settings-fixture.ts';
import { read, signIn } from './open-ui.ts';
import { watchWork } from './page-work.ts';
import { pages } from './pages.ts';
import { hostileFiles, openHostileUi } from './seed-hostile.ts';

const run = '/acme/changes/change-shop-420';
/** Views of pages, of which some take the focus from the heading. */
const listViews = (issue: string): string[] => [
  '/?whose=all',
  `${run}?step=review-tests`,
  `${run}/diff`,
  `${run}/diff?view=split`,
  ...hostileFiles.map(({ id }) => `${run}/evidence/evil-${id}`),
  '/acme/changes/change-shop-418?step=implement&tab=transcript',
  '/acme/products/shop?promote=shop-prod&release=shop-v1.1.0',
  '/acme/products/shop/board?q=Tide',
  `/acme/products/shop/board?issue=${encodeURIComponent(issue)}`,
  '/acme/products/shop/zones/shop-prod?tab=logs',
];

/** Finds on a page: code that ran, a report, an address that is not of the web, or a character that turns others around. */
const findings = `(() => {
  const addresses = [...document.querySelectorAll('[href], [action], [formaction]')].map((one) =>
    String(one.href?.baseVal ?? one.href ?? one.action),
  );
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const turned = [];
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    if (!/[\\u202a-\\u202e\\u2066-\\u2069]/.test(node.data) || node.parentElement.closest('textarea, option')) continue;
    const { display, unicodeBidi } = getComputedStyle(node.parentElement);
    if (node.parentElement.closest('button') || (display === 'inline' && !unicodeBidi.startsWith('isolate')))
      turned.push(node.parentElement.outerHTML.slice(0, 200));
  }
  return {
    ran: window.ran,
    reports: window.reports,
    addresses: addresses.filter((address) => !/^(https?|blob):/.test(address)),
    frames: document.querySelectorAll('iframe, object, embed, [onerror], [onload], [onclick]').length,
    turned,
  };
})()`;
const clean = { ran: undefined, reports: [], addresses: [], frames: 0, turned: [] };

describeWithChromium('texts of strangers', () => {
  it('run nothing, open nothing and turn nothing around, on any page', async () => {
    const { page, faults, open, show, url, issue } = await openHostileUi();
    const finishWork = await watchWork(page);
    await page.evaluateOnNewDocument(
      "window.reports = []; document.addEventListener('securitypolicyviolation', ({ blockedURI }) => window.reports.push(blockedURI));",
    );
    await open('/');
    await signIn(page);
    const check = async (path: string): Promise<void> => {
      await finishWork();
      expect(await readPage(page), path).not.toContain('This page cannot be shown');
      expect(await read(page, findings), path).toEqual(clean);
      expect(faults, path).toEqual([]);
    };
    for (const [path] of pages) {
      await show(path);
      await check(path);
    }
    for (const path of listViews(issue)) {
      await open(path);
      await check(path);
    }
    await page.keyboard.down('Control');
    await page.keyboard.press('k');
    await page.keyboard.up('Control');
    await page.waitForSelector('[role=dialog] input');
    await page.keyboard.type('drowssap');
    await page.waitForSelector('[role=option] ::-p-text(⟨U+202E⟩drowssap⟨U+200B⟩)');
    expect(await read(page, findings)).toEqual(clean);

    // A person may open a file itself: it is in a sandbox, or it is only saved.
    for (const { id } of hostileFiles) {
      const file = `${url}/api/v1/orgs/acme/artifacts/evil-${id}`;
      const refusal = await page.goto(file).then(() => '', String);
      expect(['', `Error: net::ERR_ABORTED at ${file}`]).toContain(refusal);
      expect(await read(page, 'window.ran'), file).toBe(undefined);
    }
    await page.goto(`${url}/api/v1/orgs/acme/products/shop/logo`);
    expect(await read(page, 'window.ran')).toBe(undefined);
  });

  it('say where a character is that no reader sees', async () => {
    const { page, open } = await openHostileUi();
    await open(`${run}/diff`);
    await signIn(page);
    await operate(page).says('src/⟨U+202E⟩gpj.evil⟨U+200B⟩.ts');
    await page.waitForFunction(
      "document.querySelector('main').innerText.includes('// ⟨U+2066⟩ } ⟨U+2069⟩ if (isAdmin) {')",
    );
    await open('/acme/products/shop/zones/shop-prod?tab=logs');
    await page.waitForFunction("document.querySelector('main').innerText.includes('⟨U+202E⟩drowssap')");
  });
});
