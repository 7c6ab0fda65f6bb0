import { expect, it } from 'vitest';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { findBarriers } from './find-barriers.ts';
import { openUi, read, signIn } from './open-ui.ts';
import { seedShop } from './seed-shop.ts';

describeWithChromium('the reference of the API in a browser', () => {
  it('finds an operation, calls it with the session, and shows a problem as it is', async () => {
    const { page, faults, open, store, url } = await openUi({ expected: [/404|401/] });
    await seedShop(store);
    await open('/api/docs');
    await page.locator('input[aria-label="Search operations"]').fill('list products');
    await page.locator('nav a ::-p-text(List the Products of an org)').click();
    await page.waitForFunction("location.hash === '#listProducts'");
    await page.waitForSelector('h1 ::-p-text(List the Products of an org)');
    expect(await findBarriers(page)).toEqual([]);
    await page.waitForSelector('form ::-p-text(Sign in first: the request is sent with your session.)');
    await page.locator('button[aria-disabled=true] ::-p-text(Send GET)').click();
    expect(await page.$('section[aria-label=Response]')).toBeNull();
    expect(await read(page, 'location.pathname')).toBe('/api/docs');

    await open('/signin');
    await signIn(page);
    await open('/api/docs#listProducts');
    await page.locator('button ::-p-text(Send GET)').click();
    await page.waitForSelector('section[aria-label=Response] ::-p-text(Sells ferry tickets.)');
    expect(await read(page, "document.querySelector('pre[aria-label=Command]').innerText")).toContain(
      `curl '${url}/api/v1/orgs/acme/products'`,
    );

    await open('/api/docs#getProduct');
    await page.waitForSelector('h1 ::-p-text(Get a Product)');
    const fields = await page.$$('aside input[required]');
    await fields[1]?.click({ count: 3 });
    await fields[1]?.type('none');
    await page.keyboard.press('Enter');
    await page.waitForSelector('section[aria-label=Response] ::-p-text(404)');
    expect(faults).toEqual([]);
  });
});
