import { expect, it } from 'vitest';
import { AccessGroupKind } from '../../../src/rules/access/kinds.ts';
import { AgentWorkflowKind } from '../../../src/rules/agents/kinds.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { openUi, signIn } from './open-ui.ts';
import { seedShop } from './seed-shop.ts';
import { operate, seedSettings } from './settings-fixture.ts';

const namespace = 'org-acme';

async function openShop(path: string, expected: RegExp[]) {
  const ui = await openUi({ role: 'org-admin', expected });
  await seedShop(ui.store);
  await seedSettings(ui.store);
  await ui.open(path);
  await signIn(ui.page);
  await ui.page.waitForSelector('aside ::-p-text(Live)');
  const { press, says } = operate(ui.page);
  return { ...ui, press, says };
}

describeWithChromium('a page of something that is gone', () => {
  it('says so once another person has deleted a Product, and on the way back to it', async () => {
    const { page, faults, store, follow, says } = await openShop('/acme/products/shop', [/status of 404/]);
    await page.waitForSelector('h1 ::-p-text(Shop)');
    await store.delete(ProductKind, { namespace, name: 'shop' });
    await says('No Product named "shop" in org "acme".');
    await follow('/acme/domains');
    await page.goBack();
    await says('No Product named "shop" in org "acme".');
    expect(faults).toEqual([]);
  });

  it('says so on the way back to an AgentWorkflow that the person has deleted', async () => {
    const { page, faults, store, press, says } = await openShop('/acme/settings/workflows/nightly', [/status of 404/]);
    await page.waitForSelector('h1 ::-p-text(nightly)');
    await press('Delete nightly…');
    await page.locator('[role=alertdialog] button ::-p-text(Delete nightly)').click();
    await page.waitForSelector('h1 ::-p-text(AgentWorkflows)');
    expect(await store.find(AgentWorkflowKind, { namespace, name: 'nightly' })).toBeUndefined();
    await page.goBack();
    await says('This does not exist');
    expect(faults).toEqual([]);
  });

  it('says so once the person has lost the role to read it', async () => {
    const { page, faults, store, says } = await openShop('/acme/changes/change-shop-418', [/status of 403/]);
    await page.waitForSelector('#decision');
    await store.delete(AccessGroupKind, { namespace, name: 'team' });
    await says('You do not have access to this page');
    expect(faults).toEqual([]);
  });
});
