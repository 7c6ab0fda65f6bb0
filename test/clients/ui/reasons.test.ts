import { expect, it } from 'vitest';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { findBarriers } from './find-barriers.ts';
import { openUi, read, signIn } from './open-ui.ts';
import { seedShop } from './seed-shop.ts';

const shown = "document.querySelector(':popover-open')?.innerText";

describeWithChromium('the reason of a disabled button in a browser', () => {
  it('is shown by a key, and Escape closes it before the dialog around it', async () => {
    const { page, faults, open, store } = await openUi({ role: 'org-admin' });
    await seedShop(store);
    await open('/acme/products/shop/zones/shop-prod/settings');
    await signIn(page);
    await page.locator('button ::-p-text(Remove shop-prod…)').click();
    await page.waitForSelector('[role=dialog] input:focus');
    // Enter in the field presses the button that submits.
    for (const reach of ['', "document.querySelector('[role=dialog] [type=submit]').focus()"]) {
      await read(page, reach);
      await page.keyboard.press('Enter');
      await page.waitForSelector(':popover-open ::-p-text(The name is not complete yet.)');
      expect(await findBarriers(page)).toEqual([]);
      await page.keyboard.press('Escape');
      expect(await read(page, shown)).toBeUndefined();
    }
    await page.waitForSelector('[role=dialog]');
    await page.keyboard.press('Escape');
    await page.waitForSelector('[role=dialog]', { hidden: true });
    expect(faults).toEqual([]);
  });

  it('is shown by a touch within a narrow screen, and leaves with the next one', async () => {
    const { page, faults, open, store } = await openUi({ role: 'viewer' });
    await seedShop(store);
    await page.setViewport({ width: 320, height: 640, hasTouch: true });
    await open('/acme/changes/change-shop-418');
    await signIn(page);
    const cancel = await page.waitForSelector('button[aria-disabled=true] ::-p-text(Cancel Change)');
    await cancel?.tap();
    const why =
      'This requires the role "member" or higher; your role is "viewer". Ask an org admin to add you to an access group.';
    await page.waitForFunction(`${shown} === ${JSON.stringify(why)}`);
    expect(await read(page, "document.querySelector('[aria-live=polite]').innerText")).toBe(why);
    const { left, right } = (await read(
      page,
      "document.querySelector(':popover-open').getBoundingClientRect().toJSON()",
    )) as { left: number; right: number };
    expect(left).toBeGreaterThanOrEqual(0);
    expect(right).toBeLessThanOrEqual(320);
    await page.touchscreen.tap(160, 600);
    await page.waitForFunction(`${shown} === undefined`);
    expect(faults).toEqual([]);
  });
});
