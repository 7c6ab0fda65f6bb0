import type { Page } from 'puppeteer-core';
import { expect, it } from 'vitest';
import { CloudAccountKind } from '../../../src/rules/cloud-accounts/kinds.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { awsSpec } from '../../support/servers/test-cloud.ts';
import { openForms } from './open-forms.ts';
import { operate } from './settings-fixture.ts';

/** Waits until what has the focus is called so. */
const focuses = async (page: Page, name: string): Promise<unknown> =>
  await page
    .waitForFunction(
      `((one) => [one.ariaLabel, one.labels?.[0]?.innerText, one.querySelector('b')?.innerText, one.innerText].includes(${JSON.stringify(name)}))(document.activeElement)`,
    )
    .catch(async (error: unknown) => {
      const focused = String(await page.evaluate('document.activeElement.outerHTML.slice(0, 200)'));
      throw new Error(`${name} does not get the focus, but ${focused}`, { cause: error });
    });

/** A button that adds or removes a row, and what has the focus after it was pressed. */
type Press = [button: string, focused: string];

const lists: [path: string, ...presses: Press[]][] = [
  [
    '/acme/products/shop/zones/shop-prod/settings',
    ['Remove pay.tidewater.test', 'Keep pay.tidewater.test'],
    ['Keep pay.tidewater.test', 'Remove pay.tidewater.test'],
    ['Add volume', 'Name of volume 2'],
    ['Remove the volume 2', 'Add volume'],
    ['Remove the volume receipts', 'Add volume'],
  ],
  [
    '/acme/settings/workflows/nightly',
    ['Add a trigger', 'When'],
    ['Remove trigger 2', 'Add a trigger'],
    ['Add a step', '2. step-2'],
    ['Move step-2 up', 'Move step-2 up'],
    ['Move step-2 down', 'Move step-2 down'],
    ['Remove report', '1. step-2'],
    ['Remove step-2', 'Add a step'],
  ],
  ['/acme/settings/access', ['Add an account', 'E-mail address'], ['Remove the account of row 1', 'Add an account']],
  [
    '/acme/products/shop/settings',
    ['Remove payments-answered', 'payments-fast'],
    ['Remove payments-fast', 'Add an SLO'],
    ['Add an SLO', 'Name'],
  ],
];

describeWithChromium('the focus in a list of rows', () => {
  it('stays there when a row is added or removed', async () => {
    const { openForm, faults } = await openForms();
    for (const [path, ...presses] of lists) {
      const page = await openForm(path);
      for (const [button, focused] of presses) {
        await operate(page)
          .press(button)
          .catch((error: unknown) => {
            throw new Error(`${button} cannot be pressed on ${path}.`, { cause: error });
          });
        await focuses(page, focused);
      }
      await page.close();
    }
    expect(faults).toEqual([]);
  });

  it('stays there when an address that was only typed is removed', async () => {
    const { openForm } = await openForms();
    const page = await openForm('/acme/products/shop/zones/shop-prod/settings');
    await page.locator('#address-name').fill('shop');
    await page.focus('#address-name');
    await page.keyboard.press('Enter');
    await operate(page).press('Remove shop.tidewater.test');
    await focuses(page, 'Add');
    await page.close();
  });

  it('goes to the next row of a table when a row is deleted, and to the heading after the last', async () => {
    const { openForm, faults, store } = await openForms();
    await store.create(CloudAccountKind, { metadata: { namespace: 'org-acme', name: 'staging' }, spec: awsSpec });
    const page = await openForm('/acme/settings/cloud-accounts');
    const press = async (button: string): Promise<void> => {
      await page.waitForSelector(`::-p-aria([name="${button}"][role="button"])`);
      const confirm = await page.$(`::-p-aria([name="${button}"][role="button"])`);
      await confirm?.focus();
      await page.keyboard.press('Enter');
    };
    await press('Delete production');
    await press('Delete');
    await focuses(page, 'Check staging');
    await press('Delete staging');
    await press('Delete');
    await page.waitForSelector('h1:focus');
    await page.close();
    expect(faults).toEqual([]);
  });

  it('goes on when another person deletes the row whose dialog is open', async () => {
    const { openForm, store } = await openForms();
    await store.create(CloudAccountKind, { metadata: { namespace: 'org-acme', name: 'staging' }, spec: awsSpec });
    const page = await openForm('/acme/settings/cloud-accounts');
    await operate(page).press('Delete production');
    await page.waitForSelector('[role=alertdialog] button:focus');
    await store.delete(CloudAccountKind, { namespace: 'org-acme', name: 'production' });
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForSelector('[role=alertdialog]', { hidden: true });
    await focuses(page, 'Check staging');
    await page.close();
  });
});
