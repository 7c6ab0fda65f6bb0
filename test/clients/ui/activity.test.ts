import { expect, it } from 'vitest';
import { AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { findBarriers } from './find-barriers.ts';
import { expectToFit, openUi, read, signIn } from './open-ui.ts';
import { seedShop } from './seed-shop.ts';

const namespace = 'org-acme';
const lanes = "[aria-label='Runs and Releases as lanes'] [data-rove]";

describeWithChromium('the activity of an org in a browser', () => {
  it('shows lanes that follow the runs, by keyboard and at 320 px', async () => {
    const { page, faults, open, store } = await openUi();
    await seedShop(store);
    await open('/acme/activity');
    await signIn(page);
    await page.waitForSelector(lanes);
    const countLanes = async (): Promise<number> =>
      Number(await read(page, `document.querySelectorAll(${JSON.stringify(lanes)}).length`));
    const before = await countLanes();
    expect(before).toBeGreaterThan(2);
    expect(await findBarriers(page)).toEqual([]);

    expect(await read(page, `document.querySelectorAll(${JSON.stringify(`${lanes}[tabindex="0"]`)}).length`)).toBe(1);
    await page.focus(`${lanes}[tabindex="0"]`);
    await page.keyboard.press('ArrowDown');
    expect(
      await read(page, `[...document.querySelectorAll(${JSON.stringify(lanes)})].indexOf(document.activeElement)`),
    ).toBe(1);

    const run = await store.get(AgentWorkflowRunKind, { namespace, name: 'change-shop-420' });
    const startRun = async (name: string): Promise<void> => {
      await store.create(AgentWorkflowRunKind, { metadata: { namespace, name }, spec: run.spec });
      await store.updateStatus(AgentWorkflowRunKind, { namespace, name }, () => ({
        phase: 'Running' as const,
        startedAt: new Date().toISOString(),
        steps: [],
      }));
    };
    await startRun('change-shop-900');
    await page.waitForFunction(`document.querySelectorAll(${JSON.stringify(lanes)}).length === ${before + 1}`);
    await page.locator('button ::-p-text(Pause)').click();
    await page.waitForSelector('button[aria-pressed=true] ::-p-text(Pause)');
    await startRun('change-shop-901');
    const response = await page.waitForResponse((one) => one.url().includes('/activity'));
    expect(response.status()).toBe(200);
    expect(await countLanes()).toBe(before + 1);
    await page.locator('button ::-p-text(Pause)').click();
    await page.waitForFunction(`document.querySelectorAll(${JSON.stringify(lanes)}).length === ${before + 2}`);

    await page.locator('button ::-p-text(Week)').click();
    await page.locator('button ::-p-text(Table)').click();
    await page.waitForSelector("table[aria-label='Runs and Releases'] tbody tr");
    expect(await read(page, 'location.search')).toBe('?window=168&view=table');
    await page.setViewport({ width: 320, height: 800 });
    await expectToFit(page, 320);
    expect(await findBarriers(page)).toEqual([]);
    await open('/acme/activity?product=shop');
    await page.waitForSelector(lanes);
    await expectToFit(page, 320);
    expect(await findBarriers(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('shows the DORA metrics on the page of a Product', async () => {
    const { page, faults, open, store } = await openUi();
    await seedShop(store);
    await open('/acme/products/shop');
    await signIn(page);
    await page.waitForFunction(
      "/Deployments\\s+\\d+, every/.test(document.querySelector('aside[aria-label=Details]').innerText)",
    );
    expect(await findBarriers(page)).toEqual([]);
    expect(faults).toEqual([]);
  });
  it('shows a card for each DORA metric on the page of the reliability, with the events behind it', async () => {
    const { page, faults, open, store } = await openUi();
    await seedShop(store);
    await open('/acme/products/shop/reliability');
    await signIn(page);
    await page.waitForSelector('[aria-labelledby=delivery] dl');
    const cards = String(await read(page, "document.querySelector('[aria-labelledby=delivery]').innerText"));
    expect(cards).toMatch(/Deployment frequency\s+\d+ Releases?/);
    expect(cards).toMatch(/Time to restore service\s+No data\s+Not rated/);
    await page.evaluate(
      "[...document.querySelectorAll('[aria-labelledby=delivery] button')].find((one) => one.textContent.endsWith('Deployment frequency')).click()",
    );
    await page.waitForFunction("/Behind deployment frequency/.test(document.querySelector('#events')?.innerText)");
    expect(await read(page, 'location.search')).toBe('?metric=deploymentFrequency');
    expect(await read(page, "document.querySelector('[aria-labelledby=events] tbody').innerText")).toMatch(/shop-prod/);
    expect(await findBarriers(page)).toEqual([]);
    await page.locator('button ::-p-text(90 days)').click();
    await page.waitForFunction("/last 90 days/.test(document.querySelector('#delivery')?.innerText)");
    await page.setViewport({ width: 320, height: 800 });
    await expectToFit(page, 320);
    expect(await findBarriers(page)).toEqual([]);
    expect(faults).toEqual([]);
  });
});
