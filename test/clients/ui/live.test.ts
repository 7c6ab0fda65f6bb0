import { networkInterfaces } from 'node:os';
import type { Page } from 'puppeteer-core';
import { expect, it, onTestFinished } from 'vitest';
import { getFreePort } from '../../../src/main/process/ports.ts';
import { startHttpServer, type HttpServerHandle } from '../../../src/main/process/start-http-server.ts';
import { AgentWorkflowRunKind, type RunPhase } from '../../../src/rules/changes/kinds.ts';
import type { Store } from '../../../src/store/store.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { openChromium } from '../../support/servers/open-chromium.ts';
import { read, signIn } from './open-ui.ts';
import { seedShop, startUi } from './ui-fixture.ts';

const changePath = '/acme/changes/change-shop-421';

/** Serves the UI at an address that browsers do not trust, counts the streams, and can be stopped and started again. */
async function startUiByAddress() {
  const world = await startUi();
  await seedShop(world.store);
  const address = Object.values(networkInterfaces())
    .flat()
    .find((one) => one?.family === 'IPv4' && !one.internal)?.address;
  const port = await getFreePort();
  const requests: string[] = [];
  const open = new Set<object>();
  const fetch = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url);
    requests.push(pathname);
    if (!pathname.endsWith('/me/stream')) return await world.app.fetch(request);
    const stream = {};
    open.add(stream);
    request.signal.addEventListener('abort', () => open.delete(stream));
    return await world.app.fetch(request);
  };
  let server: HttpServerHandle | undefined;
  const start = async (): Promise<void> => {
    server = await startHttpServer({ fetch }, { port, host: '0.0.0.0' });
  };
  const stop = async (): Promise<void> => {
    await server?.stop(0);
    server = undefined;
    open.clear();
  };
  await start();
  onTestFinished(stop);
  const countStreams = (): number => open.size;
  return { ...world, start, stop, requests, countStreams, url: `http://${address ?? 'localhost'}:${port}` };
}

async function openTab(first: Page, url: string, path: string): Promise<Page> {
  const tab = await first.browser().newPage();
  tab.setDefaultTimeout(120_000);
  await tab.goto(url + path, { waitUntil: 'domcontentloaded' });
  await tab.waitForSelector('h1');
  return tab;
}

const setPhase = async (store: Store, phase: RunPhase): Promise<void> =>
  void (await store.updateStatus(AgentWorkflowRunKind, { namespace: 'org-acme', name: 'change-shop-421' }, (run) => ({
    ...run.status!,
    phase,
    issue: { ...run.status?.issue, url: run.status?.issue?.url ?? '', title: `Now ${phase}` },
  })));
/** Frames are not drawn in hidden tabs, so these are asked again after a time. */
const waitFor = async (tab: Page, expression: string): Promise<void> =>
  void (await tab.waitForFunction(expression, { polling: 100 }));
const waitForTitle = async (tab: Page, text: string): Promise<void> =>
  await waitFor(tab, `document.querySelector('h1')?.innerText === ${JSON.stringify(text)}`);
const waitForState = async (tab: Page, text: string): Promise<void> =>
  await waitFor(tab, `document.querySelector('aside')?.innerText.includes(${JSON.stringify(text)})`);

describeWithChromium('live pages in a browser', () => {
  it('share one stream among 12 tabs on plain http by address, also after a tab is closed or the session ends', async () => {
    const { url, store, countStreams } = await startUiByAddress();
    const first = await openChromium();
    await first.goto(`${url}/signin?to=${encodeURIComponent(changePath)}`);
    await signIn(first);
    expect(await read(first, 'isSecureContext')).toBe(false);
    const tabs = [first];
    while (tabs.length < 12) tabs.push(await openTab(first, url, changePath));
    await Promise.all(tabs.map(async (tab) => await waitForState(tab, 'Live')));
    await expect.poll(countStreams).toBe(1);
    await setPhase(store, 'WaitingForPerson');
    await Promise.all(tabs.map(async (tab) => await waitForTitle(tab, 'Now WaitingForPerson')));
    expect(countStreams()).toBe(1);
    // The tab that opened the stream is no more needed than any other.
    await tabs.shift()?.close();
    await setPhase(store, 'Succeeded');
    await Promise.all(tabs.map(async (tab) => await waitForTitle(tab, 'Now Succeeded')));
    const [one, ...others] = tabs;
    await one?.evaluate("fetch('/api/v1/auth/sign-out', { method: 'POST' })");
    await Promise.all(others.map(async (tab) => await waitFor(tab, "location.pathname === '/signin'")));
    expect(await read(others[0]!, 'location.search')).toBe(`?to=${encodeURIComponent(changePath)}`);
  });

  it('say since when the server is away, try seldom, and catch up without a reload or a move of the focus', async () => {
    const { url, store, start, stop, requests } = await startUiByAddress();
    const page = await openChromium();
    await page.goto(`${url}/signin?to=${encodeURIComponent(changePath)}`);
    await signIn(page);
    await waitForState(page, 'Live');
    await page.evaluate("document.querySelector('main a, main button, main summary').focus()");
    await page.evaluate('window.isSame = true');
    await stop();
    await waitForState(page, 'Reconnecting since');
    const before = requests.length;
    await setPhase(store, 'Failed');
    await start();
    await waitForState(page, 'Live');
    await waitForTitle(page, 'Now Failed');
    expect(requests.slice(before).filter((path) => path.endsWith('/me/stream')).length).toBeLessThanOrEqual(2);
    expect(await read(page, 'window.isSame && document.activeElement.closest("main") !== null')).toBe(true);
  });

  it('pause with a key and go on, and stream to visible tabs in a browser without SharedWorker', async () => {
    const { url, store, countStreams } = await startUiByAddress();
    const page = await openChromium();
    await page.evaluateOnNewDocument('delete window.SharedWorker');
    await page.goto(`${url}/signin?to=${encodeURIComponent(changePath)}`);
    await signIn(page);
    await waitForState(page, 'Live');
    await expect.poll(countStreams).toBe(1);
    await page.keyboard.press('.');
    await waitForState(page, 'Paused since');
    await expect.poll(countStreams).toBe(0);
    const title = await read(page, "document.querySelector('h1').innerText");
    await setPhase(store, 'NeedsGuidance');
    expect(await read(page, "document.querySelector('h1').innerText")).toBe(title);
    await page.keyboard.press('.');
    await waitForTitle(page, 'Now NeedsGuidance');
  });
});
