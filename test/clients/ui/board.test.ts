import type { HTTPRequest, Page } from 'puppeteer-core';
import { expect, it } from 'vitest';
import { OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import type { RunStatus } from '../../../src/rules/changes/kinds.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { systemNamespace } from '../../../src/rules/resource.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { createRun, startBoardWorld } from './board-fixture.ts';
import { findBarriers } from './find-barriers.ts';
import { openUi, read, signIn } from './open-ui.ts';

const path = '/acme/products/shop/board';

/** Waits until the card of an issue is in a column, at rest. */
async function waitForCard(page: Page, number: number, column: string): Promise<void> {
  const card = `[data-column="${column}"] [data-card="acme/shop#${number}"]:not([data-moving])`;
  await page.waitForSelector(card).catch(async (error: unknown) => {
    throw new Error(`#${number} is not in ${column}: ${String(await read(page, 'document.body.innerText'))}`, {
      cause: error,
    });
  });
}

async function drag(page: Page, number: number, column: string): Promise<void> {
  // On a narrow page the columns are below each other.
  await page.setViewport({ width: 1440, height: 900 });
  const [from, to] = await Promise.all([
    page.waitForSelector(`[data-card="acme/shop#${number}"]`),
    page.waitForSelector(`[data-column="${column}"] h2`),
  ]);
  const [start, end] = await Promise.all([from?.clickablePoint({ x: 20, y: 50 }), to?.clickablePoint()]);
  if (!start || !end) throw new Error('The card or the column is not on the page.');
  await page.mouse.move(start.x, start.y);
  await page.mouse.down();
  // The browser asks whether a card may be dropped only when it moves on within the column.
  await page.mouse.move(end.x, end.y + 40, { steps: 8 });
  await page.waitForSelector(`[data-column="${column}"][data-drop="yes"]`);
  for (const step of [2, 4, 6, 8]) await page.mouse.move(end.x + step, end.y + 40 + step, { steps: 4 });
  await page.mouse.up();
}

async function openBoard() {
  const { codehostApiUrl, createTemporal, host, seed, world } = await startBoardWorld();
  const ui = await openUi({ codehostApiUrl, createTemporal });
  await seed(ui.store, ui.blobs);
  const write = async (title: string): Promise<number> =>
    (await host.createIssue('acme/shop', { title, body: 'As a passenger.', labels: [] })).number;
  return { ...ui, host, world, write };
}

const waitingForMember: RunStatus = {
  phase: 'WaitingForPerson',
  steps: [{ name: 'approve-change', phase: 'Waiting', waitingFor: { role: 'member', since: '2026-01-01T00:00:00Z' } }],
};

describeWithChromium('the board in a browser', () => {
  it('leaves a person who has closed the dialog of an issue where they are', async () => {
    const { page, faults, open, follow } = await openBoard();
    await open(path);
    await signIn(page);
    await page.setRequestInterception(true);
    const held: HTTPRequest[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/issues')) held.push(request);
      else void request.continue();
    });
    await page.locator('button ::-p-text(New issue)').click();
    await page.waitForSelector('[role=dialog] input:focus');
    await page.keyboard.type('Remember the last port');
    await page.keyboard.press('Enter');
    await page.waitForSelector('[role=dialog] button ::-p-text(Writing the issue…)');
    await page.keyboard.press('Escape');
    await page.waitForSelector('[role=dialog]', { hidden: true });
    await follow('/acme');
    await Promise.all(held.map(async (request) => await request.continue()));
    await page.waitForFunction("document.querySelector('[aria-live=polite]')?.innerText?.includes('is created')");
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(new URL(page.url()).pathname).toBe('/acme');
    expect(faults).toEqual([]);
  });

  it('writes an issue, starts its Change by the keyboard, and takes it back', async () => {
    const { page, faults, open, host, world } = await openBoard();
    // Another person's issue is not at the code host yet.
    world.creating = 1;
    await open(path);
    await signIn(page);
    await page.waitForSelector('main ::-p-text(An issue is being created.)');
    world.creating = 0;
    await page.waitForSelector('main ::-p-text(No issue yet)');
    await page.locator('button ::-p-text(New issue)').click();
    await page.waitForSelector('[role=dialog] input:focus');
    await page.keyboard.type('Remember the last port');
    await page.keyboard.press('Escape');
    await page.waitForSelector('[role=dialog]', { hidden: true });
    await page.locator('button ::-p-text(New issue)').click();
    await page.waitForSelector('[role=dialog] input:focus');
    await page.keyboard.press('Enter');
    await page.waitForSelector('[role=dialog] ::-p-text(Why nothing started)');
    expect(await read(page, "new URLSearchParams(location.search).get('issue')")).toBe('acme/shop#1');
    await page.locator('input[aria-label="New label"]').fill('comfort');
    await page.keyboard.press('Enter');
    await page.waitForSelector('[role=dialog] [aria-label="Remove comfort"]');
    expect((await host.getIssue('acme/shop', 1)).labels).toEqual(['comfort']);
    expect(await findBarriers(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.waitForFunction("!document.querySelector('[role=dialog]')");

    // The palette finds the issue, and opens its card.
    await open('/acme');
    await page.waitForSelector('main h1 ::-p-text(Products)');
    await page.keyboard.down('Control');
    await page.keyboard.press('k');
    await page.keyboard.up('Control');
    await page.waitForSelector('[role=combobox]:focus');
    await page.keyboard.type('last port');
    await page.waitForSelector('[role=option] ::-p-text(acme/shop#1)');
    await page.locator('[role=option] ::-p-text(Remember the last port)').click();
    await page.waitForSelector('[role=dialog] [aria-label="Remove comfort"]');
    await page.keyboard.press('Escape');
    await page.waitForFunction("!document.querySelector('[role=dialog]')");

    await page.focus('[data-card="acme/shop#1"] a');
    await page.keyboard.press('m');
    await page.waitForSelector('[role=menu]:focus ::-p-text(starts a Change)');
    await page.keyboard.press('ArrowDown');
    await page.waitForSelector('[role=menuitem]:focus ::-p-text(In progress)');
    await page.keyboard.press('Enter');
    await waitForCard(page, 1, 'In progress');
    await page.waitForSelector('[data-card="acme/shop#1"] a:focus');

    await page.keyboard.press('m');
    await page.waitForSelector('[role=menu]:focus ::-p-text(cancels the Change)');
    await page.keyboard.press('ArrowDown');
    await page.waitForSelector('[role=menuitem]:focus ::-p-text(Backlog)');
    await page.keyboard.press('Enter');
    await page.waitForSelector('[role=alertdialog] ::-p-text(its branch is deleted)');
    await page.locator('[role=alertdialog] button ::-p-text(Cancel the Change)').click();
    await waitForCard(page, 1, 'Backlog');
    await page.waitForSelector('[data-card="acme/shop#1"] ::-p-text(Change cancelled)');
    expect(faults).toEqual([]);
  });

  it('starts a Change of a Product that the list of Products does not have yet', async () => {
    const { page, faults, open, follow, store, write } = await openBoard();
    const number = await write('Remember the last port');
    const { metadata, spec } = await store.get(ProductKind, { namespace: 'org-acme', name: 'shop' });
    await store.delete(ProductKind, metadata);
    await open('/acme');
    await signIn(page);
    await page.waitForSelector('main ::-p-text(No Product yet)');
    await page.setRequestInterception(true);
    page.on('request', (request) => {
      if (!/\/orgs\/acme\/products\?/.test(request.url())) void request.continue();
    });
    await store.create(ProductKind, { metadata: { namespace: 'org-acme', name: 'shop' }, spec });
    await follow(path);
    await page.locator('main a ::-p-text(Remember the last port)').click();
    await page.locator('[role=dialog] button ::-p-text(Start a Change…)').click();
    await page.locator('[role=dialog] button ::-p-text(Start the Change)').click();
    await page.waitForFunction(`location.pathname === '/acme/changes/change-shop-${number}'`);
    expect(faults).toEqual([]);
  });

  it('shows that the person’s own Change waits for another, where their org wants a second person', async () => {
    const { page, faults, open, store, write } = await openBoard();
    const org = await store.get(OrganizationKind, { namespace: systemNamespace, name: 'acme' });
    const spec = { ...org.spec, approvals: { preventSelfApproval: true, codehostLogins: [] } };
    await store.replace(OrganizationKind, { ...org, spec });
    const number = await write('Pay by voucher');
    await createRun(store, 'change-shop-own', {
      target: { repo: 'acme/shop', number },
      status: waitingForMember,
    });
    await open(path);
    await signIn(page);
    await page.waitForSelector(`[data-card="acme/shop#${number}"] ::-p-text(For another member)`);
    expect(await read(page, "document.querySelector('nav [aria-label$=waiting]')")).toBeNull();
    await open('/?whose=all');
    await page.waitForSelector('section[aria-labelledby=others] ::-p-text(Approve a Change)');
    expect(await read(page, "document.querySelector('section[aria-labelledby=decide]')")).toBeNull();
    expect(faults).toEqual([]);
  });

  it('moves a dragged card back when the service refuses, and keeps its filter in the address', async () => {
    const { page, faults, open, store, world, write } = await openBoard();
    const [first, second, third] = [await write('Pay by voucher'), await write('Drop the cookie'), await write('Hold')];
    const target = { repo: 'acme/shop', number: third };
    await createRun(store, 'change-shop-hold', {
      target,
      status: waitingForMember,
    });
    await open(path);
    await signIn(page);
    await page.waitForSelector(`[data-column="Review"] [data-card="acme/shop#${third}"] ::-p-text(For you)`);
    world.outage = 'The org has 20 runs in progress, which is its quota.';
    await drag(page, first, 'In progress');
    await page.waitForSelector('section[aria-label="Refused move"] [role=alert] ::-p-text(which is its quota)');
    await waitForCard(page, first, 'Backlog');
    delete world.outage;
    await drag(page, first, 'In progress');
    await waitForCard(page, first, 'In progress');
    expect(await read(page, `document.querySelector('[role=alert]') === null`)).toBe(true);

    await page.focus(`[data-card="acme/shop#${second}"] a`);
    await page.keyboard.press('ArrowRight');
    await page.waitForSelector(`[data-card="acme/shop#${first}"] a:focus`);
    await page.locator('input[aria-label="Filter issues"]').fill('cookie');
    await page.waitForFunction("new URLSearchParams(location.search).get('q') === 'cookie'");
    await page.waitForFunction("document.querySelectorAll('[data-card]').length === 1");
    await page.reload({ waitUntil: 'domcontentloaded' });
    await waitForCard(page, second, 'Backlog');
    expect(await read(page, "document.querySelectorAll('[data-card]').length")).toBe(1);
    expect(faults.filter((fault) => !fault.includes('429'))).toEqual([]);
  });
});
