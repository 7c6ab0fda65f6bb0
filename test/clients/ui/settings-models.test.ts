import type { HTTPRequest } from 'puppeteer-core';
import { expect, it } from 'vitest';
import { OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { openUi, read, settle, signIn } from './open-ui.ts';
import { makeOrgAdmin, operate, seedSettings } from './settings-fixture.ts';

describeWithChromium('the settings of models, costs and deliveries in a browser', () => {
  it('limits and counts what agents spend, and says why an event started nothing', async () => {
    const { page, faults, open, store } = await openUi({ expected: [/422|503/] });
    const { press, follow, fill, says, focusSays } = operate(page);
    await seedSettings(store);
    await makeOrgAdmin(store);
    await open('/acme/settings/models');
    await signIn(page);
    await says('The provider did not list its models');
    await fill('Kind', 'anthropic', 'combobox');
    await fill('Model', 'large');
    await press('Test and save');
    await focusSays('is missing');
    expect(await read(page, "[...document.querySelectorAll('input')].some(({ value }) => value === 'large')")).toBe(
      true,
    );
    await press('Discard');
    await fill('Daily cost limit', '5', 'spinbutton');
    await press('Save');
    await says('Saved.');
    const { spec } = await store.get(OrganizationKind, { namespace: 'service-system', name: 'acme' });
    expect(spec.agents).toEqual({ costUsdPerDay: 5 });

    await follow('Costs');
    await says('$6.00');
    await says('$5 per day');
    expect(await read(page, "[...document.querySelectorAll('tbody th')].map((one) => one.innerText)")).toEqual([
      'shop',
      'tickets',
    ]);
    await fill('By', 'model', 'combobox');
    await page.waitForFunction("document.querySelector('tbody th')?.innerText === 'small'");
    expect(await read(page, 'location.search')).toContain('by=model');

    await follow('Deliveries');
    await press('Why: issue.labeled of acme/shop#422 for change');
    await says('The event started nothing: no trigger matches these labels.');
    await fill('Issue or pull request', 'acme/shop#1');
    await press('Ask');
    await says('No event of acme/shop#1 that a trigger handles has arrived');
    expect(await read(page, 'document.activeElement.innerText')).toBe('Ask');
    await fill('Issue or pull request', 'nonsense');
    await press('Ask');
    await says('must be of the form issue:');
    expect(faults).toEqual([]);
  });

  it('takes an amount below one digit by digit', async () => {
    const { page, faults, open, store } = await openUi({ expected: [/503/] });
    const { press, says } = operate(page);
    await seedSettings(store);
    await makeOrgAdmin(store);
    await open('/acme/settings/models');
    await signIn(page);
    await page.locator('::-p-aria([name="Daily cost limit"][role="spinbutton"])').click();
    await page.keyboard.type('0.05');
    expect(await read(page, 'document.activeElement.value')).toBe('0.05');
    await press('Save');
    await says('Saved.');
    const { spec } = await store.get(OrganizationKind, { namespace: 'service-system', name: 'acme' });
    expect(spec.agents).toEqual({ costUsdPerDay: 0.05 });
    expect(faults).toEqual([]);
  });

  it('sets no price of nothing for a model whose fields are empty', async () => {
    const { page, faults, open, store } = await openUi();
    const { press, fill, says } = operate(page);
    await seedSettings(store);
    await makeOrgAdmin(store);
    const sent: string[] = [];
    await page.setRequestInterception(true);
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      const items = [{ model: 'small', isDefault: true }];
      if (pathname.endsWith('/models/prices')) sent.push(request.postData() ?? '');
      if (pathname === '/api/v1/orgs/acme/models')
        void request.respond({ contentType: 'application/json', body: JSON.stringify({ items }) });
      else void request.continue();
    });
    await open('/acme/settings/models');
    await signIn(page);
    await press('Set price of small');
    await fill('Input', '3', 'spinbutton');
    await press('Save the price');
    await page.waitForSelector('input:invalid:focus');
    expect(sent).toEqual([]);
    await fill('Output', '15', 'spinbutton');
    await press('Save the price');
    await expect.poll(() => sent.length).toBe(1);
    expect(JSON.parse(sent[0] ?? '')).toMatchObject({ prices: [{ inputPerMillion: 3, outputPerMillion: 15 }] });
    await says('Models and prices');
    expect(faults).toEqual([]);
  });

  it('keeps the price of another model open when the one before is saved', async () => {
    const { page, faults, open, store } = await openUi();
    const { press, fill } = operate(page);
    await page.setViewport({ width: 1440, height: 900 });
    await seedSettings(store);
    await makeOrgAdmin(store);
    const held: HTTPRequest[] = [];
    await page.setRequestInterception(true);
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      const items = ['small', 'large'].map((model) => ({ model, isDefault: model === 'small' }));
      if (pathname.endsWith('/models/prices')) held.push(request);
      else if (pathname === '/api/v1/orgs/acme/models')
        void request.respond({ contentType: 'application/json', body: JSON.stringify({ items }) });
      else void request.continue();
    });
    await open('/acme/settings/models');
    await signIn(page);
    await press('Set price of small');
    await page.waitForSelector('form[aria-label="Price of small"] input:focus');
    await fill('Input', '1', 'spinbutton');
    await fill('Output', '2', 'spinbutton');
    await press('Save the price');
    await expect.poll(() => held.length).toBe(1);
    await press('Set price of large');
    await page.waitForSelector('form[aria-label="Price of large"] input:focus');
    await page.locator('form[aria-label="Price of large"] input[type=number]').fill('3');
    const saved = page.waitForResponse((response) => response.url().endsWith('/models/prices'));
    await held[0]?.continue();
    expect((await saved).status()).toBe(200);
    await settle(page);
    expect(
      await read(page, `document.querySelector('form[aria-label="Price of large"] input[type=number]')?.value`),
    ).toBe('3');
    expect(faults).toEqual([]);
  });
});
