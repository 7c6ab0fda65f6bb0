import type { HTTPRequest } from 'puppeteer-core';
import { expect, it } from 'vitest';
import { AgentWorkflowRunKind, type RunPhase } from '../../../src/rules/changes/kinds.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { createRun, startBoardWorld } from './board-fixture.ts';
import { openUi, read, settle, signIn } from './open-ui.ts';

const count = 60;
/** The others have finished: an org has a quota of runs in progress. */
const phases: Record<number, RunPhase> = { 107: 'NeedsGuidance', 109: 'Running' };

describeWithChromium('the list of Changes in a browser', () => {
  it('filters and pages in the address, follows changes, and starts one', async () => {
    const { codehostApiUrl, createTemporal, host, seed } = await startBoardWorld();
    const { page, faults, open, store, blobs } = await openUi({ codehostApiUrl, createTemporal, expected: [/404/] });
    await seed(store, blobs);
    for (let number = 101; number <= 100 + count; number += 1)
      await createRun(store, `change-shop-${number}`, {
        target: { repo: 'acme/shop', number },
        status: { phase: phases[number] ?? 'Succeeded', steps: [] },
      });
    await open('/acme/changes');
    await signIn(page);
    await page.waitForSelector('tbody tr');
    const countRows = async (): Promise<unknown> => await read(page, "document.querySelectorAll('tbody tr').length");
    expect(await countRows()).toBe(50);
    await page.locator('a ::-p-text(Older Changes)').click();
    await page.waitForFunction(`document.querySelectorAll('tbody tr').length === ${count - 50}`);
    expect(await read(page, "new URLSearchParams(location.search).has('after')")).toBe(true);
    await page.goBack();
    await page.waitForFunction("document.querySelectorAll('tbody tr').length === 50");

    await page.select('main select', 'Waiting');
    await page.waitForFunction("document.querySelectorAll('tbody tr').length === 1");
    expect(await read(page, 'location.search')).toBe('?phase=Waiting');
    await store.updateStatus(
      AgentWorkflowRunKind,
      { namespace: 'org-acme', name: 'change-shop-109' },
      ({ status }) => ({ steps: [], ...status, phase: 'WaitingForPerson' as const }),
    );
    await page.waitForFunction("document.querySelectorAll('tbody tr').length === 2");

    const { number } = await host.createIssue('acme/shop', { title: 'Remember the port', body: '', labels: [] });
    await page.locator('button ::-p-text(Start a Change)').click();
    const field = await page.waitForSelector('[role=dialog] input[required]');
    await field?.type('999');
    await page.keyboard.press('Enter');
    await page.waitForSelector('[role=dialog] [role=alert]');
    expect(await read(page, "document.querySelector('[role=dialog] input[required]').value")).toBe('999');
    await field?.click({ count: 3 });
    await field?.type(String(number));
    await page.keyboard.press('Enter');
    await page.waitForFunction(`location.pathname === '/acme/changes/change-shop-${number}'`);
    expect(faults).toEqual([]);
  });

  it('starts a Change also when the button is pressed before the Products are known', async () => {
    const { codehostApiUrl, createTemporal, seed } = await startBoardWorld();
    const { page, faults, open, store, blobs } = await openUi({ codehostApiUrl, createTemporal });
    await seed(store, blobs);
    await open('/signin');
    await signIn(page);
    const held: HTTPRequest[] = [];
    await page.setRequestInterception(true);
    page.on('request', (request) => {
      if (/\/orgs\/acme\/products(\?|$)/.test(request.url())) held.push(request);
      else void request.continue();
    });
    await open('/acme/changes');
    await expect.poll(() => held.length).toBe(1);
    await page.locator('button:not([aria-disabled]) ::-p-text(Start a Change)').click();
    await held[0]?.continue();
    await page.waitForSelector('[role=dialog] input[required]');
    expect(faults).toEqual([]);
  });

  it('leads to the Change in progress on the same issue, and to none with its number in another repo', async () => {
    const { codehostApiUrl, createTemporal, host, seed } = await startBoardWorld();
    const { page, faults, open, store, blobs } = await openUi({ codehostApiUrl, createTemporal, expected: [/409/] });
    await seed(store, blobs);
    const product = await store.get(ProductKind, { namespace: 'org-acme', name: 'shop' });
    await store.replace(ProductKind, { ...product, spec: { ...product.spec, repos: ['acme/shop', 'acme/docs'] } });
    const { number } = await host.createIssue('acme/shop', { title: 'Remember the port', body: '', labels: [] });
    for (const repo of ['shop', 'docs'])
      await createRun(store, `change-${repo}-${number}`, {
        target: { repo: `acme/${repo}`, number, kind: 'issue' },
        status: { phase: 'Running', steps: [] },
      });
    await open('/acme/changes');
    await signIn(page);
    await page.locator('button ::-p-text(Start a Change)').click();
    await page.locator('[role=dialog] input[required]').fill(String(number));
    await page.keyboard.press('Enter');
    await page.waitForSelector(`[role=dialog] [role=alert] a ::-p-text(Open Change change-shop-${number})`);
    await settle(page);
    expect(await read(page, "[...document.querySelectorAll('[role=dialog] a')].map((a) => a.pathname)")).toEqual([
      `/acme/changes/change-shop-${number}`,
    ]);
    expect(faults).toEqual([]);
  });
});
