import type { Page } from 'puppeteer-core';
import { expect, it } from 'vitest';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { findBarriers } from './find-barriers.ts';
import { openUi, read, signIn } from './open-ui.ts';
import { seedShop } from './seed-shop.ts';

const readRows = async (page: Page, section: string): Promise<string[]> =>
  (await read(
    page,
    `[...document.querySelectorAll('[aria-labelledby=${section}] tbody tr')].map((row) => row.innerText)`,
  )) as string[];

describeWithChromium('records in a browser', () => {
  it('show every decision of a Change, and every Promotion of a Release and to a zone', async () => {
    const { page, faults, open, store } = await openUi();
    await seedShop(store);
    await open('/acme/changes/change-shop-420');
    await signIn(page);
    await page.waitForSelector('[aria-labelledby=decisions] tbody tr');
    const decisions = await readRows(page, 'decisions');
    expect(decisions).toHaveLength(3);
    expect(decisions[0]).toMatch(/Gave guidance\s+implement\s+jo@example.com/);
    expect(decisions[2]).toMatch(/Approved: The type is large enough now\.\s+approve-change\s+\S+, member/);
    expect(await findBarriers(page)).toEqual([]);

    await open('/acme/releases/shop-v1.0.0');
    await page.waitForSelector('[aria-labelledby=promotions] tbody tr');
    const promotions = await readRows(page, 'promotions');
    expect(promotions).toHaveLength(3);
    expect(promotions.join('\n')).toMatch(
      /shop-prod\s+Verified[^]+Rollback[^]+approved, member: The new version loses/,
    );
    expect(await findBarriers(page)).toEqual([]);

    await open('/acme/products/shop/zones/shop-prod');
    await page.waitForSelector('[aria-labelledby=promotions] tbody tr');
    const versions = (await readRows(page, 'promotions')).map((row) => row.slice(0, 6));
    expect(versions.toSorted()).toEqual(['v1.0.0', 'v1.0.0', 'v1.1.0']);
    expect(await findBarriers(page)).toEqual([]);
    expect(faults).toEqual([]);
  });
});
