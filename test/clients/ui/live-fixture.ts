import { networkInterfaces } from 'node:os';
import type { Page } from 'puppeteer-core';
import { onTestFinished } from 'vitest';
import { reservePort } from '../../support/servers/reserve-ports.ts';
import { startHttpServer, type HttpServerHandle } from '../../../src/main/process/start-http-server.ts';
import { AgentWorkflowRunKind, type RunPhase } from '../../../src/rules/changes/kinds.ts';
import type { Store } from '../../../src/store/store.ts';
import { seedShop } from './seed-shop.ts';
import { startUi } from './ui-fixture.ts';

export const changePath = '/acme/changes/change-shop-421';

/**
 * Serves the UI by plain http at all addresses, counts the streams, and can be stopped and started again. Browsers trust
 * `localhost`, but not the `url`, which has an IP address.
 */
export async function startUiByAddress() {
  const world = await startUi();
  await seedShop(world.store);
  const address = Object.values(networkInterfaces())
    .flat()
    .find((one) => one?.family === 'IPv4' && !one.internal)?.address;
  const port = await reservePort();
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
  const urls = { 'its IP address': `http://${address ?? 'localhost'}:${port}`, localhost: `http://localhost:${port}` };
  return { ...world, start, stop, requests, countStreams, urls, url: urls['its IP address'] };
}

export async function openTab(first: Page, url: string, path: string): Promise<Page> {
  const tab = await first.browserContext().newPage();
  await tab.goto(url + path, { waitUntil: 'domcontentloaded' });
  await tab.waitForSelector('h1');
  return tab;
}

export const setPhase = async (store: Store, phase: RunPhase, title = `Now ${phase}`): Promise<void> =>
  void (await store.updateStatus(AgentWorkflowRunKind, { namespace: 'org-acme', name: 'change-shop-421' }, (run) => ({
    ...run.status!,
    phase,
    issue: { ...run.status?.issue, url: run.status?.issue?.url ?? '', title },
  })));
/** Frames are not drawn in hidden tabs, so these are asked again after a time. */
export const waitFor = async (tab: Page, expression: string): Promise<void> =>
  void (await tab.waitForFunction(expression, { polling: 100 }));
export const waitForTitle = async (tab: Page, text: string): Promise<void> =>
  await waitFor(tab, `document.querySelector('h1')?.innerText === ${JSON.stringify(text)}`);
export const waitForState = async (tab: Page, text: string): Promise<void> =>
  await waitFor(tab, `document.querySelector('aside')?.innerText.includes(${JSON.stringify(text)})`);
