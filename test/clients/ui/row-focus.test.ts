import type { Page } from 'puppeteer-core';
import { expect, it } from 'vitest';
import { describeWithChromium } from '../../support/servers/chromium.ts';
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
});
