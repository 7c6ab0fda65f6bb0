import { expect, it } from 'vitest';
import { DomainKind } from '../../../src/rules/domains/kinds.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { read, signIn } from './open-ui.ts';
import { openZoneUi } from './zone-fixture.ts';

const ref = { namespace: 'org-acme', name: 'northisles.test' };

describeWithChromium('the domains in a browser', () => {
  it('show the records that were found with those that are expected, check at once, and refuse what an address needs', async () => {
    const { page, faults, open, store, updates } = await openZoneUi({ expected: [/status of 422/] });
    await open('/acme/domains');
    await signIn(page);
    await page.locator('button ::-p-text(Add domain)').click();
    await page.waitForSelector('[role=dialog] input[name=name]:focus');
    await page.keyboard.type('http://isles');
    await page.keyboard.press('Enter');
    await page.waitForSelector('[role=dialog] input[aria-invalid=true]');
    await page.keyboard.press('Escape');
    await page.locator('a ::-p-text(northisles.test)').click();
    await page.waitForSelector('h1:focus');
    const text = String(await read(page, 'document.body.innerText'));
    for (const fact of ['Wrong value', 'service-verify=4mQx81', 'service-verify=r7Kp2vLw9Zd0', 'next about'])
      expect(text).toContain(fact);
    await page.waitForSelector('[aria-labelledby=why] li ::-p-text(A DNS proxy hides where it leads.)');
    const whole = String(await read(page, 'document.body.innerText'));
    expect(whole.split('Add the records at your DNS provider.'), 'what to do is said once').toHaveLength(2);
    await page.locator('button[aria-label="Copy the value of the TXT record"]').click();
    await page.waitForFunction("document.querySelector('[aria-live=polite]')?.innerText === 'Copied.'");
    // Screen readers tell only a text that differs from the one before.
    await page.locator('button[aria-label="Copy the value of the TXT record"]').click();
    await page.waitForFunction("document.querySelector('[aria-live=polite]').textContent === 'Copied.\\u00A0'");

    await page.locator('button ::-p-text(Check now)').click();
    await expect.poll(() => updates.map(({ update }) => update), { timeout: 60_000 }).toEqual(['checkDomain']);
    await store.updateStatus(DomainKind, ref, ({ status }) => ({
      ...status,
      claimedAt: status?.claimedAt ?? '',
      state: 'Verified' as const,
    }));
    await page.waitForFunction("document.body.innerText.includes('Zones can have addresses under it.')");

    await page.locator('button ::-p-text(Remove…)').click();
    await page.waitForSelector('[role=dialog] button ::-p-text(Remove northisles.test)');
    expect(await read(page, "document.querySelector('[role=dialog]').innerText")).toContain(
      'TXT _service.northisles.test',
    );
    await page.locator('[role=dialog] button ::-p-text(Remove northisles.test)').click();
    await page.waitForFunction("location.pathname === '/acme/domains'");
    expect(updates.map(({ update }) => update)).toEqual(['checkDomain', 'removeDomain']);
    await open('/acme/domains/tidewater.test');
    await page.waitForSelector('button ::-p-text(Remove…)');
    expect(
      await read(page, "[...document.querySelectorAll('main button[title]')].map(({ title }) => title).join()"),
    ).toContain('pay.tidewater.test');
    expect(faults).toEqual([]);
  });
});
