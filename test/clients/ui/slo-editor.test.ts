import { expect, it } from 'vitest';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { findBarriers } from './find-barriers.ts';
import { createKeyboard, createMouse, type Hand } from './hands.ts';
import { expectToFit, read, signIn } from './open-ui.ts';
import { openZoneUi } from './zone-fixture.ts';

const ref = { namespace: 'org-acme', name: 'shop' };
const settings = '/acme/products/shop/settings';
const field = (name: string, role = 'textbox'): string => `::-p-aria([name="${name}"][role="${role}"])`;
const button = (text: string): string => `main form button:not([aria-disabled]) ::-p-text(${text})`;

describeWithChromium('the editor of SLOs in a browser', () => {
  const hands = { mouse: createMouse, keyboard: createKeyboard };
  it.each(Object.entries(hands))(
    'adds an SLO by %s, with its errors and its rules before it is saved',
    async (name, create) => {
      const { page, faults, open, follow, store } = await openZoneUi({ expected: [/422/] });
      await open(settings);
      await signIn(page);
      await page.waitForSelector(button('Add an SLO'));
      const hand: Hand = create(page, faults);
      await hand.press(button('Add an SLO'));
      const group = 'li:nth-child(3) details[open]';
      await page.waitForSelector(`${group} input:focus`);
      await page.keyboard.type('Search answered');
      await hand.fill(`${group} ${field('Errors among them')}`, 'code=5');
      await hand.press(button('Review the changes'));
      await page.waitForSelector(`${group} input[aria-invalid=true]:focus`);
      const errors = String(await read(page, `document.querySelector('${group}').innerText`));
      expect(errors).toContain('must be lowercase letters');
      expect(errors).toContain('metrics are kept: 14 days');
      await hand.fill(`${group} ${field('Name')}`, 'search-answered');
      await hand.press(button('Review the changes'));
      await page.waitForFunction(`document.activeElement.getAttribute('aria-invalid') === 'true'`);
      expect(await read(page, `document.querySelector('${group} input:focus').value`)).toBe('code=5');
      await hand.fill(`${group} ${field('Errors among them')}`, 'code=~"5..|429"');
      await hand.press(button('Review the changes'));
      await page.waitForSelector('h2 ::-p-text(What saving changes)');
      const preview = String(await read(page, `document.querySelector('[aria-labelledby=preview]').innerText`));
      expect(preview).toContain('PrometheusRule service-slo-shop');
      expect(preview).toContain('http_requests_total{namespace="shop-prod", code=~"5..|429"}');
      expect(await findBarriers(page)).toEqual([]);
      await hand.press(button('Save the settings'));
      await page.waitForSelector('[role=status] ::-p-text(Saved)');
      const { spec } = await store.get(ProductKind, ref);
      expect(spec.slos?.at(-1)).toEqual({
        name: 'search-answered',
        objective: '99.9',
        indicator: { availability: { metric: 'http_requests_total', errors: 'code=~"5..|429"' } },
      });
      await follow('/acme/products/shop/reliability');
      await page.waitForSelector('tbody th ::-p-text(search-answered)');
      expect(faults, name).toEqual([]);
    },
  );

  it('edits an SLO, removes another, and chooses the release zones', async () => {
    const { page, faults, open, store } = await openZoneUi({ expected: [/422/] });
    await open('/acme/products/shop/reliability');
    await signIn(page);
    await page.setViewport({ width: 1440, height: 600 });
    await page.locator('a ::-p-text(Edit SLOs)').click();
    await page.waitForFunction(`document.querySelector('#slos')?.getBoundingClientRect().top < 200`);
    const mouse = createMouse(page);
    await mouse.press('summary ::-p-text(payments-fast)');
    await mouse.fill(`details[open] ${field('Window')}`, '30d');
    await mouse.press(button('Review the changes'));
    await page.waitForSelector('input[aria-invalid=true]:focus');
    expect(await read(page, `document.querySelector('details[open]').innerText`)).toContain('must be at most 14 days');
    await mouse.fill(`details[open] ${field('Window')}`, '14d');
    await mouse.pick(`details[open] select`, 'Requests without');
    await mouse.press('button[aria-label="Remove payments-answered"]');
    await page.waitForSelector('details[open] summary ::-p-text(payments-fast)');
    await mouse.press(`fieldset ${field('shop-rc', 'checkbox')}`);
    await mouse.press(button('Review the changes'));
    await page.waitForSelector('h2 ::-p-text(What saving changes)');
    await mouse.press(button('Save the settings'));
    await page.waitForSelector('[role=status] ::-p-text(Saved)');
    const { spec } = await store.get(ProductKind, ref);
    expect(spec.delivery.releaseZones).toEqual(['shop-rc']);
    expect(spec.slos).toEqual([
      {
        name: 'payments-fast',
        objective: '95',
        window: '14d',
        indicator: { availability: { metric: 'http_requests_total' } },
      },
    ]);
    await page.setViewport({ width: 320, height: 800 });
    await page.$$eval('details', (all) => all.forEach((one) => one.setAttribute('open', '')));
    await expectToFit(page, 320);
    expect(await findBarriers(page)).toEqual([]);
    expect(faults).toEqual([]);
  });
});
