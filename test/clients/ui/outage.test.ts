import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from 'puppeteer-core';
import { expect, it } from 'vitest';
import { waitForStepPhase } from '../../support/platform/acme.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { openChromium } from '../../support/servers/open-chromium.ts';
import { read } from './open-ui.ts';
import { startRecordingProxy } from './outage-fixture.ts';
import { pages } from './pages.ts';
import { openAs, people, startApprovals, startShopPlatform } from './shop-platform.ts';

const outageMs = 30_000;
const requestsMax = 10;
const title = 'Written while the server was killed';
const note = 'Read in the morning';

/** Frames are not drawn in hidden tabs, so these are asked again after a time. */
const waitFor = async (tab: Page, expression: string): Promise<void> =>
  void (await tab.waitForFunction(expression, { polling: 100 }));
const shows = (text: string): string => `document.body.innerText.includes(${JSON.stringify(text)})`;
/** The name of a group may be text or the value of a field. */
const hasGroup = "document.querySelector('main').innerHTML.includes('harbour-office')";
/** A decision that has been made stays on the page that it was made on. */
const rows = "document.querySelectorAll('main tr, main summary, main li:not([aria-labelledby^=decision] *)').length";

async function openTab(first: Page, url: string, isLive = true): Promise<Page> {
  const tab = await first.browserContext().newPage();
  // A page that reads again and again does so only while it is seen.
  await tab.emulateFocusedPage(true);
  await tab.setViewport({ width: 1440, height: 900 });
  await tab.goto(url, { waitUntil: 'domcontentloaded' });
  await waitFor(tab, isLive ? shows('Live') : "document.querySelector('h1')");
  return tab;
}

const countStreams = (requests: string[]): number => requests.filter((one) => one.includes('/me/stream')).length;
const toCalls = (requests: string[]): string[] => requests.filter((one) => one.includes(' /api/'));

describeWithChromium('while the API is away, pages in a browser', () => {
  it('say since when, ask seldom, and catch up alone with nothing doubled; after a sign-out they ask nothing', async () => {
    const { platform, api, restart } = await startShopPlatform();
    const run = await startApprovals(api, 3);
    await waitForStepPhase(api, run, { step: 'approve-1', phase: 'Waiting' });
    const changePath = `/acme/changes/${run}`;
    const [server, otherServer] = [await startRecordingProxy(platform.port), await startRecordingProxy(platform.port)];
    const browser = (await openChromium()).browser();

    // Another person signs out in one tab; the other tabs go to the sign-in page, also that of the setup.
    const ben = await openAs(browser, otherServer.url, 'ben');
    const benSetup = await openTab(ben.page, `${otherServer.url}/setup?step=codehost`, false);
    const benDomains = await openTab(ben.page, `${otherServer.url}/acme/domains`);
    const noted = `${changePath}?step=approve-2&view=table`;
    await ben.go(noted);
    await ben.page.bringToFront();
    await ben.page.locator('#note').fill(note);
    await benDomains.evaluate("fetch('/api/v1/auth/sign-out', { method: 'POST' })");
    for (const tab of [ben.page, benDomains, benSetup])
      await waitFor(tab, "location.pathname === '/signin' && document.querySelector('input[name=email]')");
    expect(await read(benSetup, 'location.search')).toBe(`?to=${encodeURIComponent('/setup?step=codehost')}`);

    const { page: change, go } = await openAs(browser, server.url, 'root');
    await change.emulateFocusedPage(true);
    await go(changePath);
    const settings = await openTab(change, `${server.url}/acme/settings/access`);
    const setup = await openTab(change, `${server.url}/setup?step=root`, false);
    await waitFor(setup, shows('Reachable'));
    const walker = await openTab(change, `${server.url}/acme/domains`);
    const board = await openTab(change, `${server.url}/acme/products/shop/board`);
    const files = (await (await fetch(`${platform.url}/files.json`)).json()) as string[];
    await expect.poll(() => files.filter((file) => !server.requests.includes(`GET ${file}`))).toEqual([]);
    await change.evaluate("window.isSame = true; document.querySelector('#steps ~ * summary, main summary').focus()");

    // The process is killed after it has written the issue, and before it says so.
    await board.locator('button ::-p-text(New issue)').click();
    await board.locator('[role=dialog] input').fill(title);
    const asked = otherServer.requests.length;
    const lost = server.lose(/^POST \S+\/issues$/);
    await board.locator('[role=dialog] button ::-p-text(Create the issue)').click();
    await lost;
    await platform.killTree();
    const killedAt = performance.now();
    const before = server.requests.length;
    await board.waitForSelector('[role=dialog] [role=alert] ::-p-text(The connection to the server failed)');
    expect(await read(board, "document.querySelector('[role=dialog] input').value")).toBe(title);
    for (const tab of [change, settings, setup, walker, board]) await waitFor(tab, shows('Reconnecting since'));
    await pause(Math.max(0, killedAt + outageMs - performance.now()));
    const attempts = server.requests.slice(before);
    expect(attempts.length, attempts.join('\n')).toBeLessThanOrEqual(requestsMax);
    expect(countStreams(attempts)).toBeGreaterThan(1);

    // Every page can be opened: it says what it cannot read, and since when.
    await walker.bringToFront();
    for (const [path] of pages) {
      await walker.evaluate(`document.activeElement.blur(); history.pushState({}, '', ${JSON.stringify(path)})`);
      await waitFor(walker, "document.activeElement.tagName === 'H1'");
      // The reference of the API is public, and has no frame.
      expect(await read(walker, shows('Reconnecting since')), path).toBe(path !== '/api/docs');
      expect(await read(walker, "document.querySelectorAll('h1').length"), path).toBe(1);
      expect(await read(walker, shows('new version')), path).toBe(false);
    }
    await walker.evaluate("history.pushState({}, '', '/acme/releases')");
    await walker.waitForSelector('h1 ::-p-text(This page cannot be shown)');

    // Changes that are made before the tabs reach the server again are shown without a reload or a move of the focus.
    server.close();
    await restart();
    await api.post(`/v1/orgs/acme/agentworkflowruns/${run}/steps/approve-1/approve`, {});
    await waitForStepPhase(api, run, { step: 'approve-2', phase: 'Waiting' });
    const path = '/v1/orgs/acme/access-groups';
    const { accessGroups, resourceVersion } = await api.get<{ accessGroups: object[]; resourceVersion: string }>(path);
    const harbour = { name: 'harbour-office', role: 'viewer', members: ['lars@example.com'] };
    await api.put(path, { accessGroups: [...accessGroups, harbour], resourceVersion });
    server.open();
    await waitFor(change, shows('root approved approve-1'));
    await waitFor(settings, hasGroup);
    await waitFor(walker, "document.querySelector('h1').innerText === 'Releases'");
    await waitFor(setup, `!${shows('Reconnecting since')}`);
    expect(await read(change, 'window.isSame && document.activeElement.tagName')).toBe('SUMMARY');
    await waitFor(change, "document.querySelectorAll('#decision').length === 1");
    for (const [tab, shown] of [
      [change, changePath],
      [settings, '/acme/settings/access'],
    ] as const) {
      const fresh = await openTab(tab, server.url + shown);
      await waitFor(fresh, tab === change ? "document.querySelector('#decision')" : hasGroup);
      // The parts of both pages arrive one after another.
      const countMissing = async (): Promise<number> => Number(await read(tab, rows)) - Number(await read(fresh, rows));
      await expect.poll(countMissing, { message: shown, timeout: 60_000 }).toBe(0);
    }

    // The second attempt has no second effect.
    await board.bringToFront();
    await board.locator('[role=dialog] button ::-p-text(Create the issue)').click();
    await waitFor(board, `document.querySelector('[role=dialog] h2')?.innerText !== 'New issue'`);
    const { items } = await api.get<{ items: { title: string }[] }>('/v1/orgs/acme/products/shop/issues');
    expect(items.filter((issue) => issue.title === title)).toHaveLength(1);

    // In all this time, the tabs of the person who had signed out have asked for nothing. They go on after the sign-in.
    expect(toCalls(otherServer.requests.slice(asked))).toEqual([]);
    await ben.page.bringToFront();
    await ben.page.locator('input[name=email]').fill(people.ben.email);
    await ben.page.locator('input[name=password]').fill(people.ben.password);
    await ben.page.keyboard.press('Enter');
    await waitFor(ben.page, shows('Live'));
    expect(await read(ben.page, 'location.pathname + location.search')).toBe(noted);
    await waitFor(ben.page, `document.querySelector('#note')?.value === ${JSON.stringify(note)}`);
    expect(countStreams(otherServer.requests.slice(asked))).toBeLessThanOrEqual(2);
  });
});
