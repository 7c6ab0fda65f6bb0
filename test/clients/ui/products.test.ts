import { expect, it } from 'vitest';
import { AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import { ServiceError } from '../../../src/errors.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import type { Store } from '../../../src/store/store.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { findBarriers } from './find-barriers.ts';
import { expectToFit, openUi, read, signIn } from './open-ui.ts';
import { seedIncidents } from './seed-incidents.ts';
import { seedShop } from './seed-shop.ts';
import { sloMonitoring } from './slo-monitoring.ts';

const namespace = 'org-acme';

/** Creates a Change of a Product, with the title of its issue. Changes of the same second are listed by their names. */
async function createChange(store: Store, product: string, title: string): Promise<void> {
  const ref = { namespace, name: title.toLowerCase().replaceAll(' ', '-') };
  await store.create(AgentWorkflowRunKind, {
    metadata: ref,
    spec: { agentWorkflow: 'change', product, startedBy: 'jo@example.com', steps: [], roles: {} },
  });
  await store.updateStatus(AgentWorkflowRunKind, ref, () => ({
    phase: 'Succeeded' as const,
    steps: [],
    issue: { title, url: 'http://localhost:3000/acme/till/issues/1', author: 'jo' },
  }));
}

describeWithChromium('the list of Products in a browser', () => {
  it('shows the last Change of each, however many Changes another Product has had since, and the next one live', async () => {
    const { page, faults, open, store } = await openUi();
    await store.create(ProductKind, {
      metadata: { namespace, name: 'till' },
      spec: { repos: ['acme/till'], delivery: { zones: [] } },
    });
    await createChange(store, 'till', 'Count coins');
    await seedShop(store);
    for (const index of Array.from({ length: 60 }).keys()) await createChange(store, 'shop', `Sail ${100 + index}`);
    await open('/acme');
    await signIn(page);
    await page.waitForSelector('tbody tr');
    const readLast = async (): Promise<unknown> =>
      await read(
        page,
        `[...document.querySelectorAll('tbody td[data-l="Last Change"] a')].map((one) => one.innerText)`,
      );
    expect(await readLast()).toEqual(['Sail 159', 'Count coins']);
    await createChange(store, 'till', 'Print receipts');
    await expect.poll(readLast).toEqual(['Sail 159', 'Print receipts']);
    expect(faults).toEqual([]);
  });

  it('shows how many objectives each meets, and its worst incidents', async () => {
    const { page, faults, open, follow, store } = await openUi();
    await seedShop(store);
    await seedIncidents(store);
    await store.create(ProductKind, {
      metadata: { namespace, name: 'till' },
      spec: { repos: ['acme/till'], delivery: { zones: [] } },
    });
    await open('/acme');
    await signIn(page);
    await page.waitForSelector('td ::-p-text(2 of 3 met)');
    const readCells = async (label: string): Promise<unknown> =>
      await read(page, `[...document.querySelectorAll('td[data-l="${label}"]')].map((one) => one.innerText)`);
    expect(await readCells('SLOs')).toEqual([expect.stringMatching(/^2 of 3 met\s+Burning budget$/), '']);
    // The incidents arrive apart from the objectives.
    await expect.poll(async () => await readCells('Incidents')).toEqual(['1 critical', '0']);
    expect(await read(page, `document.querySelector('td[data-l="Incidents"] a').search`)).toBe(
      '?product=shop&state=Unresolved',
    );
    expect(await findBarriers(page)).toEqual([]);
    await page.setViewport({ width: 320, height: 800 });
    await expectToFit(page, 320);
    await page.locator('td a ::-p-text(2 of 3 met)').click();
    await page.waitForSelector('h2 ::-p-text(Objectives)');
    await page.setViewport({ width: 1440, height: 900 });
    await follow('/acme/products/shop');
    await page.waitForSelector('aside dd a ::-p-text(2 of 3 met)');
    expect(faults).toEqual([]);
  });

  it('has pages, and shows the last one for a page that is gone', async () => {
    const { page, faults, open, follow, store } = await openUi();
    for (let index = 10; index < 51; index += 1)
      await store.create(ProductKind, {
        metadata: { namespace, name: `till-${index}` },
        spec: { repos: [`acme/till-${index}`], delivery: { zones: [] } },
      });
    const readNames = async (): Promise<unknown> =>
      await read(page, `[...document.querySelectorAll('tbody th a')].map((one) => one.innerText)`);
    await open('/acme');
    await signIn(page);
    await page.waitForSelector('nav ::-p-text(Page 1 of 2)');
    expect(await readNames()).toHaveLength(40);
    await page.locator('nav a ::-p-text(Next)').click();
    await page.waitForSelector('nav ::-p-text(Page 2 of 2)');
    expect(await readNames()).toEqual(['till-50']);
    await follow('/acme/domains');
    await follow('/acme?page=9');
    await page.waitForSelector('nav ::-p-text(Page 2 of 2)');
    expect(await readNames()).toEqual(['till-50']);
    expect(faults).toEqual([]);
  });

  it('does not wait for Prometheus', async () => {
    let answer = (): void => {};
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const queryInstant = async (): Promise<never> => {
      await answered;
      throw new ServiceError('metrics-unavailable', 'Prometheus does not respond.');
    };
    const { page, faults, open, store } = await openUi({ monitoring: { ...sloMonitoring, queryInstant } });
    await seedShop(store);
    await open('/acme');
    await signIn(page);
    await page.waitForSelector('tbody th a');
    expect(await read(page, `document.querySelector('td[data-l="SLOs"]').innerText`)).toBe('');
    answer();
    await page.waitForSelector('td ::-p-text(Not known)');
    expect(faults).toEqual([]);
  });
});
