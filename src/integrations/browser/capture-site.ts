import { setTimeout as sleep } from 'node:timers/promises';
import { type BrowserContext, type HTTPRequest, type Page, TimeoutError } from 'puppeteer-core';
import type { ScreenshotResult, Site } from './browser.ts';
import { captureImage } from './capture-image.ts';
import type { IsolatedChromium } from './launch-isolated.ts';
import type { SiteProxy } from './site-proxy.ts';

/** When a page takes longer to close, the browser is considered hung and killed. */
export const closeTimeoutMs = 3_000;

export type Timeouts = {
  /** A page that still loads after this time is captured in its current state. */
  loadTimeoutMs: number;
  /** A loaded page may fetch more content for this time. */
  settleTimeoutMs: number;
  /** The limit of one whole capture, including a page that never renders. */
  captureTimeoutMs: number;
  /** The browser closes after this time without a capture. */
  idleTimeoutMs: number;
};

type CaptureRequest = { site: Site; signal: AbortSignal; timeouts: Timeouts; imageBytesMax: number };

export const toFailure = (reason: string): ScreenshotResult => ({ outcome: 'failed', reason });

/** Captures one site in a context of its own. Returns `browser-ended` if the browser ended meanwhile. */
export async function captureSite(
  { chromium, openProxy, kill }: IsolatedChromium,
  request: CaptureRequest,
): Promise<ScreenshotResult | 'browser-ended'> {
  const { site, timeouts } = request;
  const proxy = openProxy(site);
  const timeout = AbortSignal.timeout(timeouts.captureTimeoutMs);
  const signal = AbortSignal.any([request.signal, timeout]);
  const contextPromise = chromium.createBrowserContext({
    proxyServer: proxy.url,
    proxyBypassList: ['<-loopback>'],
    downloadBehavior: { policy: 'deny' },
  });
  try {
    const context = await contextPromise;
    return await rejectOnAbort(signal, captureIn(context, proxy, request));
  } catch (error) {
    request.signal.throwIfAborted();
    if (timeout.aborted) return toFailure(`The site did not render within ${timeouts.captureTimeoutMs / 1000} s.`);
    if (!chromium.connected) return 'browser-ended';
    return toFailure(`The site could not be shown: ${proxy.connectionError() ?? toReason(error)}.`);
  } finally {
    if (!(await disposeContext(contextPromise))) kill();
    await proxy.close();
  }
}

async function rejectOnAbort<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason as Error);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  // When the abort wins the race, a later rejection of the work must not be unhandled.
  work.catch(() => undefined);
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

async function captureIn(
  context: BrowserContext,
  proxy: SiteProxy,
  request: CaptureRequest,
): Promise<ScreenshotResult> {
  const { site, timeouts, imageBytesMax } = request;
  const page = await context.newPage();
  dismissPopups(context, page);
  const navigation = trackNavigation(page);
  const root = new URL('/', site.url).href;
  const loaded = await page.goto(root, { waitUntil: 'load', timeout: timeouts.loadTimeoutMs }).then(
    () => undefined,
    (error: unknown) => error,
  );
  // A page that never finishes loading is captured in its current state.
  const isStillLoading = loaded instanceof TimeoutError && navigation.status !== undefined;
  if (loaded !== undefined && !isStillLoading && proxy.allows(navigation.url)) throw loaded;
  await page.waitForNetworkIdle({ idleTime: 100, timeout: timeouts.settleTimeoutMs }).catch(() => undefined);
  const { image, type } = await captureImage(imageBytesMax, page);
  const foreignUrl = [navigation.url, page.url()].find((url) => !proxy.allows(url));
  if (foreignUrl !== undefined)
    return toFailure(`The site redirects to ${toOrigin(foreignUrl)}, but only the zone's own site is captured.`);
  const connectionError = proxy.connectionError();
  if (navigation.status === 502 && connectionError !== undefined)
    return toFailure(`The site did not respond: ${connectionError}.`);
  return { outcome: 'taken', image, type };
}

/** Tracks the URL and the status of the page itself, without its resources and frames. */
function trackNavigation(page: Page): { url: string; status: number | undefined } {
  const navigation = { url: '', status: undefined as number | undefined };
  const isPage = (request: HTTPRequest): boolean =>
    request.isNavigationRequest() && request.frame() === page.mainFrame();
  page.on('request', (request) => {
    if (isPage(request)) navigation.url = request.url();
  });
  page.on('response', (response) => {
    if (isPage(response.request())) navigation.status = response.status();
  });
  return navigation;
}

/** Dismisses dialogs and closes popups of the page. */
function dismissPopups(context: BrowserContext, page: Page): void {
  page.on('dialog', (dialog) => void dialog.dismiss().catch(() => undefined));
  context.on('targetcreated', (target) => {
    if (target.type() !== 'page' || target === page.target()) return;
    void target
      .page()
      .then(async (popup) => await popup?.close())
      .catch(() => undefined);
  });
}

/** Returns false if the browser hangs. */
async function disposeContext(contextPromise: Promise<BrowserContext>): Promise<boolean> {
  const closed = contextPromise.then(async (context) => await context.close()).then(() => true);
  return await Promise.race([closed.catch(() => true), sleep(closeTimeoutMs, false, { ref: false })]);
}

const toOrigin = (url: string): string => {
  const parsed = URL.parse(url);
  return parsed && parsed.origin !== 'null' ? parsed.origin : url.slice(0, 100);
};

/** Removes the URL from the browser's message. */
const toReason = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/ at https?:.*$/s, '').slice(0, 200);
