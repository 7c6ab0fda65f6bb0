import { expect, it } from 'vitest';
import { withAcknowledgement } from '../../../src/rules/incidents/handle-incident.ts';
import { getIncidentStatus } from '../../../src/rules/incidents/get-incident-status.ts';
import { IncidentKind } from '../../../src/rules/incidents/kinds.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { expectToFit, openUi, read, settle, signIn } from './open-ui.ts';
import { holdRequests } from './refuse-requests.ts';
import { incidents, seedIncidents } from './seed-incidents.ts';
import { createRelease, seedShop } from './seed-shop.ts';
import { operate } from './settings-fixture.ts';

const namespace = 'org-acme';

async function openIncidents(path: string) {
  const ui = await openUi();
  await seedShop(ui.store);
  await seedIncidents(ui.store);
  await ui.open(path);
  await signIn(ui.page);
  await ui.page.waitForSelector('aside ::-p-text(Live)');
  const status = async (name: string) => getIncidentStatus(await ui.store.get(IncidentKind, { namespace, name }));
  return { ...ui, status, hand: operate(ui.page) };
}

const rows = "[...document.querySelectorAll('main tbody tr')].map((row) => row.innerText.replace(/\\s+/g, ' '))";
const count = `document.querySelector('aside [aria-label$=" open"]')?.innerText`;

describeWithChromium('incidents in a browser', () => {
  it('are listed with those that no one handles first, counted in the side bar, and acknowledged at once', async () => {
    const { page, faults, hand, status } = await openIncidents('/acme/incidents');
    await page.waitForFunction(`${count} === '3'`);
    expect(await read(page, rows)).toEqual([
      expect.stringMatching(/^Open, critical shop-prod burns .* shop shop-prod No one yet/),
      expect.stringMatching(/^Open, warning Payments of shop-prod are slow/),
      expect.stringMatching(/^Acknowledged, info Receipts .* No single zone .*priya/),
      expect.stringMatching(/^Resolved, critical shop-rc was down .*jo .* 50 min$/),
    ]);
    await page.locator('main button ::-p-text(Acknowledge these 2)').click();
    await page.waitForFunction("!document.body.innerText.includes('Acknowledge these')");
    expect(await status(incidents.slow)).toMatchObject({ state: 'Acknowledged', acknowledgedBy: 'priya@example.com' });
    expect(await status(incidents.burning)).toMatchObject({ state: 'Acknowledged' });
    expect(await read(page, count), 'they are not resolved').toBe('3');

    await hand.fill('State', 'Resolved', 'combobox');
    await page.waitForFunction("document.querySelectorAll('main tbody tr').length === 1");
    expect(await read(page, 'location.search')).toBe('?state=Resolved');
    expect(faults).toEqual([]);
  });

  it('show what happened just before, and are acknowledged, explained and resolved by the keyboard', async () => {
    const { page, faults, status } = await openIncidents('/acme/incidents');
    await page.waitForSelector('main tbody a');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForFunction(`location.pathname === '/acme/incidents/${incidents.burning}'`);
    await page.waitForSelector('h1:focus');
    await page.waitForSelector('main li ::-p-text(became healthy in shop-prod)');
    const timeline = "[...document.querySelectorAll('main ol > li')].map((one) => one.innerText.replace(/\\s+/g, ' '))";
    const lines = (await read(page, timeline)) as string[];
    expect(lines[0]).toMatch(/Every third payment fails in Lerwick\. jo@example\.com, on the status page$/);
    expect(lines[1]).toMatch(/Opened\. Alertmanager$/);
    expect(lines[2]).toMatch(/v1\.0\.0 became healthy in shop-prod\. Before the incident/);
    const text = String(await read(page, 'document.querySelector("main").innerText'));
    expect(text).toMatch(/Just before\s+shop v1\.0\.0 became healthy there at .*, 53 min before/);

    const press = async (name: string): Promise<void> => {
      const button = await page.waitForSelector(`main button ::-p-text(${name})`);
      await button?.focus();
      await page.keyboard.press('Enter');
    };
    await press('Acknowledge');
    await page.waitForSelector('main header ::-p-text(priya is on it since)');
    await page.focus('main textarea');
    await page.keyboard.sendCharacter('I look at the payment service.');
    await press('Add note');
    await page.waitForSelector('main li ::-p-text(I look at the payment service.)');
    // The live page can show the note before its request is answered.
    await expect.poll(async () => await read(page, 'document.querySelector("main textarea").value')).toBe('');
    await press('Resolve…');
    await page.waitForSelector('[role=dialog] textarea:focus');
    await page.keyboard.sendCharacter('Rolled back to v1.0.0.');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForSelector('main p ::-p-text(priya@example.com resolved it)');
    expect(await status(incidents.burning)).toMatchObject({
      state: 'Resolved',
      timeline: [
        { type: 'opened' },
        { type: 'note', public: true },
        { type: 'acknowledged', by: 'priya@example.com' },
        { type: 'note', text: 'I look at the payment service.', public: false },
        { type: 'resolved', text: 'Rolled back to v1.0.0.', public: true },
      ],
    });
    expect(await read(page, 'document.querySelector("main").innerText')).toContain('The alert still fires.');
    expect(faults).toEqual([]);
  });

  it('show at once what another person does', async () => {
    const { page, faults, store } = await openIncidents(`/acme/incidents/${incidents.slow}`);
    await page.waitForSelector('main ::-p-text(No one has acknowledged it)');
    await store.updateStatus(IncidentKind, { namespace, name: incidents.slow }, (incident) =>
      withAcknowledgement(incident, { by: 'jo@example.com', at: new Date().toISOString() }),
    );
    await page.waitForSelector('main header ::-p-text(jo is on it since)');
    expect(faults).toEqual([]);
  });

  it('are opened by a person, who reads what is wrong with the form', async () => {
    const { page, faults, hand, store } = await openIncidents('/acme/products/shop/reliability');
    await page.locator('main a ::-p-text(Open an incident)').click();
    await page.waitForSelector('[role=dialog] input[name=title]:focus');
    await page.keyboard.sendCharacter('Payments take a minute');
    await hand.fill('Zone', 'shop-prod', 'combobox');
    await hand.fill('Severity', 'critical', 'combobox');
    await page.locator('[role=dialog] button[type=submit]').click();
    await page.waitForSelector('h1 ::-p-text(Payments take a minute)');
    const { items } = await store.list(IncidentKind, { namespace });
    expect(items.filter(({ spec }) => spec.openedBy === 'priya@example.com').map(({ spec }) => spec)).toEqual([
      {
        product: 'shop',
        zone: 'shop-prod',
        severity: 'critical',
        title: 'Payments take a minute',
        openedBy: 'priya@example.com',
      },
    ]);
    await page.waitForFunction(`${count} === '4'`);
    expect(faults).toEqual([]);
  });

  it('lead to the promotion of the version that ran before, until another version runs', async () => {
    const { page, faults, open, store } = await openUi();
    await seedShop(store);
    await seedIncidents(store);
    const healthyAt = new Date(Date.now() - 24 * 3_600_000).toISOString();
    const verified = { name: 'shop-prod', phase: 'Verified' as const, healthyAt, verifiedAt: healthyAt };
    await createRelease(store, 'v0.9.0', { phase: 'Succeeded', digest: 'sha256:0', zones: [verified] });
    await open(`/acme/incidents/${incidents.burning}`);
    await signIn(page);
    await page.waitForSelector('dd ::-p-text(v0.9.0 ran there before)');
    await page.locator('a ::-p-text(Roll back shop-prod to v0.9.0)').click();
    await page.waitForSelector('[role=dialog] select');
    expect(await read(page, `document.querySelector('[role=dialog] select').value`)).toBe('shop-v0.9.0');
    await store.updateStatus(ProductKind, { namespace, name: 'shop' }, ({ status }) => ({
      ...status,
      zones: status?.zones?.map((zone) => ({ ...zone, release: 'shop-v0.9.0', version: 'v0.9.0' })),
    }));
    await open(`/acme/incidents/${incidents.burning}`);
    await page.waitForSelector('a ::-p-text(Roll back or promote)');
    expect(faults).toEqual([]);
  });

  it('fit a phone of 320 pixels, with a place at its bottom', async () => {
    const { page, faults, open } = await openIncidents('/acme/incidents');
    await page.setViewport({ width: 320, height: 700 });
    for (const path of ['/acme/incidents', `/acme/incidents/${incidents.burning}`, '/acme/products/shop/reliability']) {
      await open(path);
      await page.waitForSelector('nav[aria-label="Main, phone"] a ::-p-text(Incidents) ');
      await page.waitForSelector('nav[aria-label="Main, phone"] [aria-label="3 open"]');
      await expectToFit(page, 320, path);
    }
    expect(faults).toEqual([]);
  });

  it('leave a person who has closed the dialog where they are', async () => {
    const { page, faults, follow } = await openIncidents('/acme/products/shop/reliability');
    await page.setViewport({ width: 1440, height: 900 });
    const { isHeld, release } = await holdRequests(page, (request) => request.method() === 'POST');
    await page.locator('main a ::-p-text(Open an incident)').click();
    await page.waitForSelector('[role=dialog] input[name=title]:focus');
    await page.keyboard.sendCharacter('Payments take a minute');
    await page.keyboard.press('Enter');
    await isHeld();
    await page.keyboard.press('Escape');
    await page.waitForSelector('[role=dialog]', { hidden: true });
    await follow('/acme');
    await release();
    await page.waitForFunction("document.querySelector('[aria-live=polite]')?.innerText?.includes('is open')");
    await settle(page);
    expect(new URL(page.url()).pathname).toBe('/acme');
    expect(faults).toEqual([]);
  });

  it('keep what is typed while a note is being added', async () => {
    const { page, faults, open, hand } = await openIncidents('/acme/incidents');
    await page.setViewport({ width: 1440, height: 900 });
    await open(`/acme/incidents/${incidents.burning}`);
    const { isHeld, release } = await holdRequests(page, (request) => request.url().endsWith('/notes'));
    await hand.fill('Add a note', 'The pool is full.');
    await hand.press('Add note');
    await isHeld();
    await hand.fill('Add a note', 'The pool is full. A restart helps.');
    await release();
    await hand.says('The note is on the timeline.');
    await settle(page);
    expect(await read(page, "document.querySelector('main form textarea').value")).toBe(
      'The pool is full. A restart helps.',
    );
    expect(faults).toEqual([]);
  });
});
