import { expect, it } from 'vitest';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { openUi, read, signIn } from './open-ui.ts';
import { incidents, seedIncidents } from './seed-incidents.ts';
import { seedShop } from './seed-shop.ts';

async function openShop(path: string) {
  const ui = await openUi({ role: 'org-admin' });
  await seedShop(ui.store);
  await ui.open(path);
  await signIn(ui.page);
  await ui.page.waitForSelector('aside ::-p-text(Live)');
  const values = async (): Promise<unknown> =>
    await read(
      ui.page,
      "[...document.querySelectorAll('main input, main textarea')].map((one) => one.checked || one.value)",
    );
  return { ...ui, values };
}

describeWithChromium('a page that turns to its next subject', () => {
  it('keeps the note about an incident at that incident', async () => {
    const { page, faults, follow, store, values } = await openShop('/acme/incidents');
    await seedIncidents(store);
    await follow(`/acme/incidents/${incidents.burning}`);
    await page.focus('main textarea');
    await page.keyboard.sendCharacter('The card provider is down.');
    await page.locator('main input[type=checkbox]').click();
    expect(await values()).toEqual(['The card provider is down.', true]);

    await follow(`/acme/incidents/${incidents.slow}`);
    expect(await values()).toEqual(['', 'on']);
    await follow(`/acme/incidents/${incidents.burning}`);
    expect(await values()).toEqual(['The card provider is down.', 'on']);
    expect(faults).toEqual([]);
  });

  it('shows the settings of a Product, and not those of the one before', async () => {
    const { faults, follow, store, values } = await openShop('/acme/products/shop/settings');
    await store.create(ProductKind, {
      metadata: { namespace: 'org-acme', name: 'till' },
      spec: { displayName: 'Till', repos: ['acme/till'], delivery: { zones: [] } },
    });
    expect(await values()).toEqual(expect.arrayContaining(['Shop', 'acme/shop']));
    await follow('/acme/products/till/settings');
    expect(await values()).toEqual(expect.arrayContaining(['Till', 'acme/till']));
    expect(faults).toEqual([]);
  });
});
