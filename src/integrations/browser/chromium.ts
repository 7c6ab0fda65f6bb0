import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  launch,
  TimeoutError,
  type Browser as Chromium,
  type BrowserContext,
  type HTTPRequest,
  type Page,
} from 'puppeteer-core';
import { type Browser, type ScreenshotResult, type Site, viewport } from './browser.ts';
import { captureImage } from './capture-image.ts';
import { startSiteProxy, type SiteProxy } from './site-proxy.ts';

export type ChromiumOptions = {
  executable: string;
  /** The folder of the browser profiles. */
  profilesFolder: string;
  imageBytesMax: number;
  timeouts?: Partial<Timeouts>;
};

type Timeouts = {
  /** A page that still loads after this time is captured in its current state. */
  loadTimeoutMs: number;
  /** A loaded page may fetch more content for this time. */
  settleTimeoutMs: number;
  /** The limit of one whole capture, including a page that never renders. */
  captureTimeoutMs: number;
  /** The browser closes after this time without a capture. */
  idleTimeoutMs: number;
};
const defaultTimeouts: Timeouts = {
  loadTimeoutMs: 8_000,
  settleTimeoutMs: 2_000,
  captureTimeoutMs: 15_000,
  idleTimeoutMs: 5 * 60_000,
};

/** When a page takes longer to close, the browser is considered hung and killed. */
const closeTimeoutMs = 3_000;

/** Without these flags a page could bypass its proxy or write to the disk. */
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
  '--no-pings',
  '--mute-audio',
  // No server listens on this port, so requests outside of a page fail.
  '--proxy-server=http://127.0.0.1:1',
  '--proxy-bypass-list=<-loopback>',
  // Only the proxy may resolve names.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--js-flags=--max-old-space-size=512',
];

/**
 * Runs one browser for all captures, with a separate context and proxy for each. The browser starts with the first
 * capture; one that hangs is killed and started again by the next capture.
 */
export function chromiumBrowser({
  executable,
  profilesFolder,
  imageBytesMax,
  timeouts: given,
}: ChromiumOptions): Browser {
  const timeouts = { ...defaultTimeouts, ...given };
  let running: Promise<Chromium> | undefined;
  let launches = 0;
  let activeCaptures = 0;
  let idle: NodeJS.Timeout | undefined;

  const ensureRunning = async (): Promise<Chromium> => {
    const browser = await running?.catch(() => undefined);
    if (browser?.connected) return browser;
    running = launchBrowser(executable, join(profilesFolder, `profile-${(launches += 1)}`), timeouts);
    return await running;
  };
  const end = async (): Promise<void> => {
    const ending = running;
    running = undefined;
    const browser = await ending?.catch(() => undefined);
    if (browser) await closeBrowser(browser);
  };

  return {
    async capture(site, signal) {
      clearTimeout(idle);
      activeCaptures += 1;
      try {
        const result = await captureWith(await ensureRunning(), { site, signal, timeouts, imageBytesMax });
        // A concurrent capture may have crashed the browser, so this one is tried once more.
        if (result !== 'browser-ended') return result;
        const retried = await captureWith(await ensureRunning(), { site, signal, timeouts, imageBytesMax });
        return retried === 'browser-ended' ? toFailure('The browser crashed on this site.') : retried;
      } finally {
        activeCaptures -= 1;
        if (activeCaptures === 0) idle = setTimeout(() => void end(), timeouts.idleTimeoutMs).unref();
      }
    },
    async close() {
      clearTimeout(idle);
      await end();
      await rm(profilesFolder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function launchBrowser(
  executablePath: string,
  profile: string,
  { captureTimeoutMs }: Timeouts,
): Promise<Chromium> {
  await rm(profile, { recursive: true, force: true });
  await mkdir(profile, { recursive: true });
  return await launch({
    executablePath,
    headless: true,
    // The browser exits when the pipe closes, even if this process is killed.
    pipe: true,
    args: flags,
    userDataDir: profile,
    // No variable of this process is passed on.
    env: { HOME: profile, TMPDIR: profile, PATH: '/usr/bin:/bin', LANG: 'C.UTF-8' },
    defaultViewport: viewport,
    protocolTimeout: captureTimeoutMs,
    handleSIGHUP: false,
    handleSIGINT: false,
    handleSIGTERM: false,
  });
}

async function closeBrowser(browser: Chromium): Promise<void> {
  const child = browser.process();
  const closed = browser.close().catch(() => undefined);
  await Promise.race([closed, sleep(closeTimeoutMs, undefined, { ref: false })]);
  child?.kill('SIGKILL');
}

type CaptureRequest = { site: Site; signal: AbortSignal; timeouts: Timeouts; imageBytesMax: number };

const toFailure = (reason: string): ScreenshotResult => ({ outcome: 'failed', reason });

async function captureWith(browser: Chromium, request: CaptureRequest): Promise<ScreenshotResult | 'browser-ended'> {
  const { site, timeouts } = request;
  const proxy = await startSiteProxy(site);
  const timeout = AbortSignal.timeout(timeouts.captureTimeoutMs);
  const signal = AbortSignal.any([request.signal, timeout]);
  const contextPromise = browser.createBrowserContext({
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
    if (!browser.connected) return 'browser-ended';
    return toFailure(`The site could not be shown: ${proxy.connectionError() ?? toReason(error)}.`);
  } finally {
    await disposeContext(browser, contextPromise);
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

async function disposeContext(browser: Chromium, contextPromise: Promise<BrowserContext>): Promise<void> {
  const closed = contextPromise.then(async (context) => await context.close()).then(() => 'closed');
  const outcome = await Promise.race([
    closed.catch(() => 'closed'),
    sleep(closeTimeoutMs, 'hangs' as const, { ref: false }),
  ]);
  if (outcome === 'hangs') browser.process()?.kill('SIGKILL');
}

const toOrigin = (url: string): string => {
  const parsed = URL.parse(url);
  return parsed && parsed.origin !== 'null' ? parsed.origin : url.slice(0, 100);
};

/** Removes the URL from the browser's message. */
const toReason = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/ at https?:.*$/s, '').slice(0, 200);
