import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { expect, it, onTestFinished } from 'vitest';
import type { UiFiles } from '../../../api/ui/ui-files.ts';
import { reservePort } from '../../support/servers/reserve-ports.ts';
import { startHttpServer } from '../../../src/main/process/start-http-server.ts';
import { writeBuild } from '../../../src/main/ui/build-ui.ts';
import { readUiFiles } from '../../../src/main/ui/read-ui-files.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { startApi } from '../../support/start-api.ts';
import { findBarriers } from './find-barriers.ts';
import { openUi, read, signIn } from './open-ui.ts';
import { seedShop } from './seed-shop.ts';

const note = 'Seen with the customer';
const answer = 'Keep the names for 24 hours,\nthen delete them.';
const decisionPath = '/acme/changes/change-shop-418';
const noAccess = 'main input[type=radio][id$=-none]';
const guidancePath = '/acme/changes/change-shop-419';

/** Builds the UI from sources that differ in a file that every other file of the build is named after. */
async function buildNext(): Promise<UiFiles> {
  const folder = await mkdtemp(join(tmpdir(), 'ui-'));
  onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
  const change = {
    name: 'next-version',
    transform: (code: string, id: string) =>
      id.endsWith('/router.tsx') ? `${code}\nwindow.isNext = true;` : undefined,
  };
  await writeBuild(folder, [change]);
  return await readUiFiles(folder);
}

const follow = async (tab: Page, path: string): Promise<void> => {
  await tab.evaluate(`document.activeElement.blur(); history.pushState({}, '', ${JSON.stringify(path)})`);
  await tab.waitForSelector('h1:focus');
};
const waitForValue = async (tab: Page, field: string, value: string): Promise<unknown> =>
  await tab.waitForFunction(`document.querySelector('${field}')?.value === ${JSON.stringify(value)}`);
const reload = async (tab: Page): Promise<void> => {
  await tab.locator('main [role=status] button ::-p-text(Reload)').click();
  await tab.waitForFunction('window.isNext');
};
const pressFind = async (tab: Page): Promise<void> => {
  await tab.keyboard.down('Control');
  await tab.keyboard.press('k');
  await tab.keyboard.up('Control');
};

/** Opens a tab, and types on two of its pages without sending it. */
async function typeInTab(tab: Page, url: string): Promise<void> {
  await tab.emulateFocusedPage(true);
  await tab.goto(url + decisionPath);
  await tab.waitForSelector('aside ::-p-text(Live)');
  await tab.locator('#note').fill(note);
  await follow(tab, guidancePath);
  await tab.locator('#guidance-implement').fill(answer);
}

describeWithChromium('a tab of the UI', () => {
  it('offers a reload once the server has the next build, and loses nothing that was typed or chosen', async () => {
    const { page, app, store, open, faults } = await openUi({ role: 'org-admin' });
    await seedShop(store);
    await open('/signin');
    await signIn(page);
    const port = await reservePort();
    const url = `http://localhost:${port}`;
    const { app: nextApp } = await startApi({ store, ui: await buildNext(), config: { publicUrl: url } });
    const sent = new Set<string>();
    const fetch = (request: Request): Response | Promise<Response> => {
      sent.add(new URL(request.url).pathname);
      return app.fetch(request);
    };
    const server = await startHttpServer({ fetch }, { port, host: '127.0.0.1' });

    // One tab gets the files of its build from the browser; the other has kept none of them.
    const kept = await page.browserContext().newPage();
    await typeInTab(kept, url);
    const files = JSON.parse(
      String(await read(kept, "fetch('/files.json').then((response) => response.text())")),
    ) as string[];
    await expect.poll(() => files.filter((file) => !sent.has(file))).toEqual([]);
    const other = await page.browser().createBrowserContext();
    await other.setCookie(...(await page.browserContext().cookies()));
    const bare = await other.newPage();
    await bare.setCacheEnabled(false);
    await typeInTab(bare, url);
    const chosen = await page.browserContext().newPage();
    await typeInTab(chosen, url);
    await follow(chosen, '/acme/products/shop/zones/shop-prod/settings');
    await chosen.locator(noAccess).click();
    const tabs = [kept, bare, chosen];
    await server.stop(0);
    const next = await startHttpServer(nextApp, { port, host: '127.0.0.1' });
    onTestFinished(async () => await next.stop(0));
    for (const tab of tabs)
      tab.on('dialog', (dialog) => {
        faults.push(`dialog: ${dialog.type()}`);
        void dialog.accept();
      });
    for (const tab of tabs) await tab.waitForSelector('main [role=status] ::-p-text(A new version)');

    await kept.bringToFront();
    await pressFind(kept);
    await kept.waitForSelector('[role=dialog] input:focus');
    await kept.keyboard.press('Escape');
    await follow(kept, '/acme/releases');
    await kept.waitForSelector('h1 ::-p-text(Releases)');
    await follow(kept, guidancePath);
    await waitForValue(kept, '#guidance-implement', answer);
    await follow(kept, '/acme/settings/models');
    await kept.locator('::-p-aria([name="Daily cost limit"][role="spinbutton"])').fill('5');
    await kept.locator('main input[type=checkbox]').click();
    await kept.select('main select', 'openai-compatible');
    await reload(kept);
    await waitForValue(kept, 'main input[type=number]', '5');
    await waitForValue(kept, 'main select', 'openai-compatible');
    expect(await read(kept, "document.querySelector('main input[type=checkbox]').checked")).toBe(true);
    await follow(kept, guidancePath);
    await waitForValue(kept, '#guidance-implement', answer);
    await follow(kept, decisionPath);
    await waitForValue(kept, '#note', note);

    await chosen.bringToFront();
    await reload(chosen);
    await chosen.waitForSelector(`${noAccess}:checked`);

    // A part that is missing leaves the page as it is. A page that is missing asks for the reload.
    await bare.bringToFront();
    await pressFind(bare);
    await bare.waitForSelector('main [role=status] ::-p-text(Reload to open what you asked for)');
    expect(await read(bare, "document.querySelector('#guidance-implement').value")).toBe(answer);
    expect(await findBarriers(bare)).toEqual([]);
    await follow(bare, '/acme/releases');
    await bare.waitForSelector('h1 ::-p-text(This page needs a reload)');
    expect(await read(bare, 'window.isNext')).toBeUndefined();
    await bare.locator('main h2 ~ p button ::-p-text(Reload)').click();
    await bare.waitForFunction('window.isNext');
    await bare.waitForSelector('h1 ::-p-text(Releases)');
    await follow(bare, guidancePath);
    await waitForValue(bare, '#guidance-implement', answer);
    await follow(bare, decisionPath);
    await waitForValue(bare, '#note', note);
    expect(faults).toEqual([]);
  });
});
