import { expect, it } from 'vitest';
import { isExhaustive } from '../../support/sample.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { openChromium } from '../../support/servers/open-chromium.ts';
import {
  changePath,
  openTab,
  setPhase,
  startUiByAddress,
  waitFor,
  waitForState,
  waitForTitle,
} from './live-fixture.ts';
import { read, signIn } from './open-ui.ts';

/** A browser opens six connections to a server: with a stream of its own, the seventh tab would never load. */
const tabsCount = isExhaustive ? 12 : 7;
/** The time of a call, which only a run of every variant requires, on an idle machine. */
const idleMsMax = 100;
/** The fastest of ten calls. */
const timeCall = `(async () => {
  let fastest = Infinity;
  for (let call = 0; call < 10; call += 1) {
    const startedAt = performance.now();
    await (await fetch('/api/v1/me', { cache: 'no-store' })).json();
    fastest = Math.min(fastest, performance.now() - startedAt);
  }
  return fastest;
})()`;

describeWithChromium('live pages in a browser', () => {
  it.each(['its IP address', 'localhost'] as const)(
    `share one stream among ${tabsCount} tabs on plain http by %s, and whichever tab is closed, the others miss nothing`,
    async (host) => {
      const { urls, store, requests, countStreams } = await startUiByAddress();
      const url = urls[host];
      const first = await openChromium();
      await first.goto(`${url}/signin?to=${encodeURIComponent(changePath)}`);
      await signIn(first);
      expect(await read(first, 'isSecureContext')).toBe(host === 'localhost');
      const tabs = [first];
      while (tabs.length < tabsCount) tabs.push(await openTab(first, url, changePath));
      await Promise.all(tabs.map(async (tab) => await waitForState(tab, 'Live')));
      await expect.poll(countStreams).toBe(1);
      await setPhase(store, 'WaitingForPerson');
      await Promise.all(tabs.map(async (tab) => await waitForTitle(tab, 'Now WaitingForPerson')));
      // Streams of their own would take all the connections that a browser opens to a server.
      for (const tab of tabs) expect(await read(tab, timeCall)).toBeLessThan(isExhaustive ? idleMsMax : Infinity);

      // The first of the tabs has started the worker that holds the stream.
      const opened = requests.filter((path) => path.endsWith('/me/stream')).length;
      while (tabs.length > 1) {
        const closed = tabs.shift();
        const title = `${tabs.length} tabs are left`;
        await Promise.all([closed?.close(), setPhase(store, 'Running', title)]);
        await Promise.all(tabs.map(async (tab) => await waitForTitle(tab, title)));
        expect(countStreams(), title).toBe(1);
      }
      expect(requests.filter((path) => path.endsWith('/me/stream'))).toHaveLength(opened);
      await tabs[0]?.close();
      await expect.poll(countStreams).toBe(0);
    },
  );

  it('go to the sign-in page in all tabs when the session ends in one', async () => {
    const { url } = await startUiByAddress();
    const first = await openChromium();
    await first.goto(`${url}/signin?to=${encodeURIComponent(changePath)}`);
    await signIn(first);
    const others = [await openTab(first, url, changePath), await openTab(first, url, changePath)];
    await Promise.all(others.map(async (tab) => await waitForState(tab, 'Live')));
    await first.evaluate("fetch('/api/v1/auth/sign-out', { method: 'POST' })");
    await Promise.all(others.map(async (tab) => await waitFor(tab, "location.pathname === '/signin'")));
    expect(await read(others[0]!, 'location.search')).toBe(`?to=${encodeURIComponent(changePath)}`);
  });

  it('go on when the tab crashes that has started the worker of all tabs', async () => {
    const { url, store, countStreams } = await startUiByAddress();
    const first = await openChromium();
    await first.goto(`${url}/signin?to=${encodeURIComponent(changePath)}`);
    await signIn(first);
    const other = await openTab(first, url, changePath);
    await Promise.all([first, other].map(async (tab) => await waitForState(tab, 'Live')));
    await first.goto('chrome://crash').catch(() => undefined);
    await expect.poll(countStreams).toBe(0);
    await setPhase(store, 'Failed');
    await waitForTitle(other, 'Now Failed');
    expect(countStreams()).toBe(1);
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

  it.each(['live-client', 'stream-hub'])('read again at intervals where the file %s is missing', async (file) => {
    const { url, store } = await startUiByAddress();
    const page = await openChromium();
    // Only a browser without SharedWorker loads the hub itself.
    await page.evaluateOnNewDocument('delete window.SharedWorker');
    await page.setRequestInterception(true);
    page.on('request', (request) => {
      const isMissing = request.url().includes(`/assets/${file}-`);
      void (isMissing ? request.respond({ status: 404 }) : request.continue());
    });
    await page.goto(`${url}/signin?to=${encodeURIComponent(changePath)}`);
    await signIn(page);
    await waitForState(page, 'Every 10 seconds');
    await setPhase(store, 'Failed');
    await waitForTitle(page, 'Now Failed');
    await page.keyboard.press('.');
    await waitForState(page, 'Paused since');
    await page.keyboard.press('.');
    await waitForState(page, 'Every 10 seconds');
  });
});
