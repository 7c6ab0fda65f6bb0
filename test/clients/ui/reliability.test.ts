import { expect, it } from 'vitest';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { openUi, read, signIn } from './open-ui.ts';
import { seedShop } from './seed-shop.ts';

const path = '/acme/products/shop/reliability';

describeWithChromium('the page of the reliability of a Product in a browser', () => {
  it('shows each SLO in each zone with its budget, and how the budget went down', async () => {
    const { page, faults, open, store } = await openUi();
    await seedShop(store);
    await open(path);
    await signIn(page);
    await page.waitForFunction("document.querySelectorAll('figure canvas').length === 3");
    const rows = await read(
      page,
      "[...document.querySelectorAll('#main tbody tr')].slice(0, 3).map((row) => row.innerText)",
    );
    expect(rows).toMatchObject([
      expect.stringMatching(
        /payments-answered\s.*7 days\s.*shop-prod\s+99\.9 %\s+99\.971 %\s+71 %\s+0\.2\s+0\.3\s+Meeting the objective/s,
      ),
      expect.stringMatching(/shop-rc\s.*48 %\s+7\.1\s+6\.4\s+Burning budget/s),
      expect.stringMatching(/payments-fast\s.*88 %.*Meeting the objective/s),
    ]);
    const label = await read(page, "document.querySelector('figure [role=img]').ariaLabel");
    expect(label).toMatch(/^Error budget left of payments-answered in shop-prod: now 75\.5 %/);
    expect(faults).toEqual([]);
  });

  it('says what an SLO is when there is none', async () => {
    const { page, faults, open, store } = await openUi();
    await seedShop(store);
    const product = await store.get(ProductKind, { namespace: 'org-acme', name: 'shop' });
    await store.replace(ProductKind, { ...product, spec: { ...product.spec, slos: [] } });
    await open(path);
    await signIn(page);
    await page.waitForSelector('h2 ::-p-text(No SLO yet)');
    expect(await read(page, 'document.body.innerText')).toContain('/orgs/acme/products/shop/slos');
    expect(faults).toEqual([]);
  });
});
