import type { Page } from 'puppeteer-core';
import { expect, it } from 'vitest';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { openConnectedUi, recordZone, seedTill } from './codehost-fixture.ts';
import { findBarriers } from './find-barriers.ts';
import { read, signIn } from './open-ui.ts';

const readDialog = async (page: Page): Promise<string> =>
  String(await read(page, "document.querySelector('[role=dialog]').innerText"));

const note = "document.querySelector('#promote-note')?.value";

/** Delays the first comparison, and later reads of the zones, until the test goes on. */
const delayReads = `{
  const { fetch } = window;
  const compared = new Promise((resolve) => (window.compare = resolve));
  const listed = new Promise((resolve) => (window.list = resolve));
  window.fetch = async (url, init) => {
    if (String(url).includes('/compare?')) {
      window.isComparing = true;
      await compared;
    }
    if (window.isComparing && /\\/zones(\\?|$)/.test(String(url))) await listed;
    return fetch(url, init);
  };
}`;

describeWithChromium('the page of a Product in a browser', () => {
  it('compares, approves the commit that it shows, rolls back, and freezes with a reason', async () => {
    const { page, faults, open, store, updates, push } = await openConnectedUi([/status of 409/]);
    const commits = { one: await push('one'), two: await push('two'), three: await push('three') };
    await seedTill(store, commits);
    await open('/acme/products/till');
    await signIn(page);

    await page.waitForSelector('td ::-p-text(Without a Change)');
    expect(await read(page, "document.querySelector('#brings').parentElement.parentElement.innerText")).toContain(
      'Change two',
    );
    await page.locator('a ::-p-text(Review v1.1.0)').click();
    await page.waitForSelector('[role=dialog] ::-p-text(1 commit in 1 file)');
    expect(await read(page, 'location.search')).toBe('?promote=till-prod&release=till-v1.1.0');
    expect(await readDialog(page)).toContain('v1.0.0 becomes v1.1.0');
    expect(await findBarriers(page)).toEqual([]);
    await page.locator('#promote-note').fill('Seen in pre-production');
    await page.keyboard.press('Escape');
    await page.waitForFunction("document.querySelector('[role=dialog]') === null");
    await page.locator('a ::-p-text(Review v1.1.0)').click();
    await page.waitForFunction(`${note} === 'Seen in pre-production'`);
    await page.select('[role=dialog] select', 'till-v1.0.0');
    await page.waitForSelector('[role=dialog] h2 ::-p-text(v1.0.0)');
    await page.keyboard.press('Escape');
    await page.waitForFunction("document.querySelector('[role=dialog]') === null");
    await page.locator('a ::-p-text(Review v1.1.0)').click();
    await page.waitForFunction(`${note} === 'Seen in pre-production'`);
    await page.locator(`button ::-p-text(Approve ${commits.two.slice(0, 7)})`).click();
    await page.waitForSelector('[role=dialog] ::-p-text(Promotion of v1.1.0 requested)');
    expect(updates).toMatchObject([
      {
        update: 'approvePromotion',
        args: [{ release: 'till-v1.1.0', note: 'Seen in pre-production' }, expect.anything()],
      },
    ]);
    await recordZone(store, 'till-prod', {
      currentPromotion: { release: 'till-v1.1.0', version: 'v1.1.0', phase: 'Deploying' },
    });
    await page.waitForSelector('[role=dialog] ::-p-text(v1.1.0: Deploying)');
    await page.keyboard.press('Escape');
    await page.waitForFunction("document.querySelector('[role=dialog]') === null && location.search === ''");

    await open('/acme/products/till?promote=till-prod&release=till-v1.2.0');
    await page.locator('button ::-p-text(Promote v1.2.0)').click();
    await page.waitForSelector('[role=dialog] [role=alert] ::-p-text(not verified in the earlier zone)');
    await open('/acme/products/till?promote=till-rc');
    await page.waitForSelector('[role=dialog] select:focus');
    await page.select('[role=dialog] select', 'till-v1.0.0');
    const rollBack = await page.waitForSelector('button ::-p-text(Roll back to v1.0.0)');
    expect(await readDialog(page)).toContain('Versions newer than v1.0.0 are no longer promoted automatically.');
    await rollBack?.click();
    await expect
      .poll(() => updates[1])
      .toMatchObject({
        update: 'promoteManually',
        args: [{ request: { release: 'till-v1.0.0' } }, expect.anything()],
      });

    await open('/acme/products/till');
    await page.locator('[aria-labelledby=zone-till-prod] button ::-p-text(Freeze…)').click();
    await page.waitForSelector('button[aria-disabled=true] ::-p-text(Freeze till-prod)');
    await page.locator('input[name=reason]').fill('Harbour festival');
    await page.locator('button ::-p-text(Freeze till-prod)').click();
    await expect
      .poll(() => updates[2])
      .toMatchObject({
        update: 'freezeZone',
        args: [{ reason: 'Harbour festival' }, expect.anything()],
      });
    expect(faults).toEqual([]);
  });

  it('compares again what was compared while a zone got another version', async () => {
    const { page, faults, open, store, push } = await openConnectedUi();
    const commits = { one: await push('one'), two: await push('two'), three: await push('three') };
    await seedTill(store, commits);
    const run = async (version: string, commit: string): Promise<void> =>
      await recordZone(store, 'till-prod', {
        release: `till-${version}`,
        version,
        commit,
        currentPromotion: undefined,
      });
    await run('v1.0.0', commits.one);
    await page.evaluateOnNewDocument(delayReads);
    await open('/acme/products/till');
    await signIn(page);
    await page.waitForFunction('window.isComparing');
    await run('v1.1.0', commits.two);
    await page.evaluate('window.compare()');
    await page.waitForSelector('::-p-text(both sides have the same content)');
    await page.evaluate('window.list()');
    await page.waitForSelector('::-p-text(Both zones run the same version)');
    await run('v1.0.0', commits.one);
    await page.waitForSelector('#brings');
    await page.waitForSelector('td ::-p-text(Without a Change)');
    expect(faults).toEqual([]);
  });

  it('says what holds the next promotion, and only of equal versions that they are the same', async () => {
    const { page, faults, open, store, push } = await openConnectedUi();
    const commits = { one: await push('one'), two: await push('two'), three: await push('three') };
    await seedTill(store, commits);
    await recordZone(store, 'till-prod', { currentPromotion: undefined });
    await recordZone(store, 'till-rc', { release: 'till-v1.2.0', version: 'v1.2.0', verifiedAt: undefined });
    await open('/acme/products/till');
    await signIn(page);
    await page.waitForSelector('::-p-text(v1.2.0 is not verified in till-rc)');
    await recordZone(store, 'till-rc', { release: undefined, version: undefined });
    await page.waitForSelector('::-p-text(Nothing runs in till-rc)');
    await recordZone(store, 'till-rc', { release: 'till-v1.0.0', version: 'v1.0.0' });
    await page.waitForSelector('::-p-text(Both zones run the same version)');
    expect(faults).toEqual([]);
  });

  it('says of no other Release that its promotion was requested', async () => {
    const { page, faults, open, store, push } = await openConnectedUi();
    const commits = { one: await push('one'), two: await push('two'), three: await push('three') };
    await seedTill(store, commits);
    await open('/acme/products/till?promote=till-rc');
    await signIn(page);
    await page.waitForSelector('[role=dialog] select');
    await page.select('[role=dialog] select', 'till-v1.2.0');
    await page.waitForSelector('[role=dialog] h2 ::-p-text(v1.2.0)');
    await page.select('[role=dialog] select', 'till-v1.0.0');
    await page.locator('button ::-p-text(Roll back to v1.0.0)').click();
    await page.waitForSelector('[role=dialog] ::-p-text(Promotion of v1.0.0 requested)');
    await page.goBack();
    await page.waitForSelector('[role=dialog] h2 ::-p-text(v1.2.0)');
    await page.waitForSelector('button:not([aria-disabled]) ::-p-text(Promote v1.2.0)');
    expect(await readDialog(page)).not.toContain('requested');
    expect(faults).toEqual([]);
  });
});
