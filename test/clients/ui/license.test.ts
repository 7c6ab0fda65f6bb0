import type { Page } from 'puppeteer-core';
import { expect, it } from 'vitest';
import { issue, vendorKey } from '../../rules/licensing/license-fixture.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { openUi, read, signIn } from './open-ui.ts';
import { makePlatformAdmin, operate } from './settings-fixture.ts';

const text = "document.querySelector('textarea').value";

async function paste(page: Page, value: string): Promise<void> {
  await page.locator('textarea').click();
  await page.$eval('textarea', (area) => (area as unknown as { select: () => void }).select());
  await page.keyboard.sendCharacter(value);
}

describeWithChromium('the licence in a browser', () => {
  it('is installed by a platform admin, keeps a text that is rejected, and is removed after a question', async () => {
    const { page, faults, open, store } = await openUi({ licenseKeys: [vendorKey], expected: [/422/] });
    const { press, says, focusSays } = operate(page);
    await makePlatformAdmin(store);
    await open('/settings/licence');
    await signIn(page);
    await says('Contact the vendor for one');
    const license = issue({ days: '4000', orgs: '3' });
    await paste(page, license.slice(0, -9));
    await press('Install');
    await focusSays('Copy the whole line');
    expect(await read(page, text)).toBe(license.slice(0, -9));

    await paste(page, license);
    await press('Install');
    await says('Tidewater');
    await says('1 of 3, not enforced');
    await says('14 October 2037');
    expect(await read(page, text)).toBe('');

    await press('Remove…');
    await press('Remove the licence');
    await says('Contact the vendor for one');
    expect(faults).toEqual([]);
  });

  it('is read by everybody, and says who may change it', async () => {
    const { page, open } = await openUi({ licenseKeys: [vendorKey] });
    await open('/settings/licence');
    await signIn(page);
    await operate(page).says('Only a platform admin may change the license');
    await page.waitForSelector('fieldset[disabled] textarea');
  });
});
