import axe from 'axe-core';
import type { Page } from 'puppeteer-core';
import { expect, it } from 'vitest';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { openChromium } from '../../support/servers/open-chromium.ts';
import { AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import { credentials, headSha, seedShop, startUi } from './ui-fixture.ts';

type Violation = { id: string; nodes: { html: string }[] };

/** Opens the UI in a browser and records what a correct page never does. */
async function openUi() {
  const world = await startUi();
  const page = await openChromium();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('console', (message) => {
    // The browser reports the status of requests: before the sign-in, and of the Change that does not exist.
    const isExpected = [message.text(), message.location().url ?? ''].some((text) =>
      /401 \(Unauthorized\)|\/none$/.test(text),
    );
    if (['error', 'warn'].includes(message.type()) && !isExpected) faults.push(message.text());
  });
  page.on('request', (request) => {
    if (!/^(blob|data):/.test(request.url()) && new URL(request.url()).origin !== world.url)
      faults.push(`foreign request: ${request.url()}`);
  });
  const open = async (path: string): Promise<void> => {
    await page.goto(world.url + path, { waitUntil: 'domcontentloaded' });
    await page.waitForSelector('h1');
  };
  return { ...world, page, faults, open };
}

const read = async (page: Page, expression: string): Promise<unknown> => await page.evaluate(expression);

async function findBarriers(page: Page): Promise<unknown[]> {
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate('axe.run()')) as { violations: Violation[] };
  return violations.map(({ id, nodes }) => [id, nodes.length, nodes[0]?.html.slice(0, 200)]);
}

/** Signs in with the keyboard alone: the first field has the focus. */
async function signIn(page: Page): Promise<void> {
  await page.waitForSelector('input[name=email]:focus');
  await page.keyboard.type(credentials.email);
  await page.keyboard.press('Tab');
  await page.keyboard.type(credentials.password);
  await page.keyboard.press('Enter');
  await page.waitForSelector('nav[aria-label=Main]');
}

/** Each page by its path, with its heading. */
const routes: [path: string, heading: string][] = [
  ['/', '3 things wait for you'],
  ['/acme', 'Products'],
  ['/acme/changes', 'Changes'],
  ['/acme/changes/change-shop-418', 'Hold the fare for ten minutes while a passenger pays'],
  ['/acme/changes/change-shop-420', 'Large-type mode for the quay displays'],
  ['/acme/products/shop', 'Shop'],
  ['/acme/releases/shop-v1.1.0', 'shop v1.1.0'],
  ['/acme/changes/none', 'This does not exist'],
];

describeWithChromium('the web UI in a browser', () => {
  it('leads to the sign-in page and back, and each page is titled, accessible and asks only its own site', async () => {
    const { page, faults, open, store } = await openUi();
    await seedShop(store);
    await open('/acme/changes?phase=Failed');
    expect(await read(page, 'location.pathname + location.search')).toBe(
      '/signin?to=%2Facme%2Fchanges%3Fphase%3DFailed',
    );
    expect(await findBarriers(page)).toEqual([]);
    await signIn(page);
    expect(await read(page, 'location.pathname + location.search')).toBe('/acme/changes?phase=Failed');
    for (const [path, heading] of routes) {
      for (const [scheme, width] of [
        ['light', 1440],
        ['dark', 320],
      ] as const) {
        await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
        await page.setViewport({ width, height: 800 });
        await open(path);
        expect(await read(page, "[...document.querySelectorAll('h1')].map((one) => one.innerText).join()")).toBe(
          heading,
        );
        expect(await read(page, 'document.title')).toContain(heading);
        expect(await read(page, 'document.documentElement.scrollWidth'), path).toBe(width);
        expect(await findBarriers(page), `${path} ${scheme} ${width}`).toEqual([]);
      }
    }
    expect(faults).toEqual([]);
  });

  it('shows a new decision without a reload, and approves the commit that it shows', async () => {
    const { page, faults, open, store, updates } = await openUi();
    await seedShop(store);
    await open('/');
    await signIn(page);
    await page.locator('a ::-p-text(Hold the fare)').click();
    await page.waitForSelector('h1:focus');
    expect(await read(page, 'document.activeElement.innerText')).toContain('Hold the fare');
    const approve = await page.waitForSelector(`button ::-p-text(Approve ${headSha.slice(0, 7)})`);
    await approve?.click();
    await expect.poll(() => updates.length, { timeout: 30_000 }).toBe(1);
    expect(updates[0]?.args[0]).toMatchObject({ step: 'approve-change', headSha });
    await store.updateStatus(
      AgentWorkflowRunKind,
      { namespace: 'org-acme', name: 'change-shop-418' },
      ({ status }) => ({
        ...status,
        phase: 'Running' as const,
        steps: (status?.steps ?? []).map((step) =>
          step.name === 'approve-change' ? { name: step.name, phase: 'Succeeded' as const } : step,
        ),
      }),
    );
    await page.waitForFunction("document.querySelector('#decision') === null");
    expect(faults).toEqual([]);
  });
});
