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
import { type Browser, type Shot, type Site, viewport } from './browser.ts';
import { imageWithin } from './image-within.ts';
import { startSiteProxy, type SiteProxy } from './site-proxy.ts';

export type ChromiumOptions = {
  executable: string;
  /** Holds its profile while it runs. */
  folder: string;
  imageBytesMax: number;
  pace?: Partial<Pace>;
};

type Pace = {
  /** How long a page may take to load before it is taken as it is. */
  loadMs: number;
  /** How long a page that has loaded may go on fetching what it shows. */
  settleMs: number;
  /** How long one shot may take in all; a page that does not let itself be painted has none. */
  shotMs: number;
  /** How long the browser stays when nobody needs it. */
  idleMs: number;
};
const usualPace: Pace = { loadMs: 8_000, settleMs: 2_000, shotMs: 15_000, idleMs: 5 * 60_000 };

/** How long a page may take to close before the whole browser is taken to hang. */
const closingMs = 3_000;

/** Without any of them some page could reach past its proxy, or write to the machine. */
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
  // Nothing listens there: what belongs to no page goes nowhere.
  '--proxy-server=http://127.0.0.1:1',
  '--proxy-bypass-list=<-loopback>',
  // The proxy looks names up, nobody else does.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--js-flags=--max-old-space-size=512',
];

/**
 * One warm browser for all shots, with a context and a way out of its own for each. It starts with the first shot,
 * is ended when it hangs, and begins anew with the next.
 */
export function chromiumBrowser({ executable, folder, imageBytesMax, pace: asked }: ChromiumOptions): Browser {
  const pace = { ...usualPace, ...asked };
  let running: Promise<Chromium> | undefined;
  let launches = 0;
  let shots = 0;
  let idle: NodeJS.Timeout | undefined;

  const warm = async (): Promise<Chromium> => {
    const now = await running?.catch(() => undefined);
    if (now?.connected) return now;
    running = start(executable, join(folder, `profile-${(launches += 1)}`), pace);
    return await running;
  };
  const end = async (): Promise<void> => {
    const ending = running;
    running = undefined;
    const browser = await ending?.catch(() => undefined);
    if (browser) await endOf(browser);
  };

  return {
    async shoot(site, signal) {
      clearTimeout(idle);
      shots += 1;
      try {
        const shot = await shootWith(await warm(), { site, signal, pace, imageBytesMax });
        // A shot beside this one may have taken the browser down.
        if (shot !== 'browser-ended') return shot;
        const again = await shootWith(await warm(), { site, signal, pace, imageBytesMax });
        return again === 'browser-ended' ? failed('The browser broke down over this site.') : again;
      } finally {
        shots -= 1;
        if (shots === 0) idle = setTimeout(() => void end(), pace.idleMs).unref();
      }
    },
    async close() {
      clearTimeout(idle);
      await end();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function start(executablePath: string, profile: string, { shotMs }: Pace): Promise<Chromium> {
  await rm(profile, { recursive: true, force: true });
  await mkdir(profile, { recursive: true });
  return await launch({
    executablePath,
    headless: true,
    // It ends when this pipe does, however we end.
    pipe: true,
    args: flags,
    userDataDir: profile,
    // Nothing of our environment.
    env: { HOME: profile, TMPDIR: profile, PATH: '/usr/bin:/bin', LANG: 'C.UTF-8' },
    defaultViewport: viewport,
    protocolTimeout: shotMs,
    handleSIGHUP: false,
    handleSIGINT: false,
    handleSIGTERM: false,
  });
}

async function endOf(browser: Chromium): Promise<void> {
  const child = browser.process();
  const closed = browser.close().catch(() => undefined);
  await Promise.race([closed, sleep(closingMs, undefined, { ref: false })]);
  child?.kill('SIGKILL');
}

type Shooting = { site: Site; signal: AbortSignal; pace: Pace; imageBytesMax: number };

const failed = (why: string): Shot => ({ outcome: 'failed', why });

async function shootWith(browser: Chromium, shooting: Shooting): Promise<Shot | 'browser-ended'> {
  const { site, pace } = shooting;
  const proxy = await startSiteProxy(site);
  const timeout = AbortSignal.timeout(pace.shotMs);
  const signal = AbortSignal.any([shooting.signal, timeout]);
  const opening = browser.createBrowserContext({
    proxyServer: proxy.url,
    proxyBypassList: ['<-loopback>'],
    downloadBehavior: { policy: 'deny' },
  });
  try {
    const context = await opening;
    return await unlessAborted(signal, shootIn(context, proxy, shooting));
  } catch (error) {
    shooting.signal.throwIfAborted();
    if (timeout.aborted) return failed(`The site did not let itself be painted within ${pace.shotMs / 1000} s.`);
    if (!browser.connected) return 'browser-ended';
    return failed(`The site could not be shown: ${proxy.problem() ?? reasonOf(error)}.`);
  } finally {
    await disposeOf(browser, opening);
    await proxy.close();
  }
}

async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason as Error);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  // What lost the race still ends, with nobody to hear of it.
  work.catch(() => undefined);
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

async function shootIn(context: BrowserContext, proxy: SiteProxy, shooting: Shooting): Promise<Shot> {
  const { site, pace, imageBytesMax } = shooting;
  const page = await context.newPage();
  confine(context, page);
  const visit = followed(page);
  const root = new URL('/', site.url).href;
  const loaded = await page.goto(root, { waitUntil: 'load', timeout: pace.loadMs }).then(
    () => undefined,
    (error: unknown) => error,
  );
  // A page that goes on loading for ever is shown as far as it has come.
  const goesOn = loaded instanceof TimeoutError && visit.status !== undefined;
  if (loaded !== undefined && !goesOn && proxy.allows(visit.url)) throw loaded;
  await page.waitForNetworkIdle({ idleTime: 100, timeout: pace.settleMs }).catch(() => undefined);
  const { image, type } = await imageWithin(imageBytesMax, page);
  const left = [visit.url, page.url()].find((url) => !proxy.allows(url));
  if (left !== undefined)
    return failed(`The site leads to ${originOf(left)}, and a screenshot is of the zone's own site only.`);
  const problem = proxy.problem();
  if (visit.status === 502 && problem !== undefined) return failed(`The site did not answer: ${problem}.`);
  return { outcome: 'taken', image, type };
}

/** Where the page itself, not what is in it, has gone to, and what it was answered. */
function followed(page: Page): { url: string; status: number | undefined } {
  const visit = { url: '', status: undefined as number | undefined };
  const isPage = (request: HTTPRequest): boolean =>
    request.isNavigationRequest() && request.frame() === page.mainFrame();
  page.on('request', (request) => {
    if (isPage(request)) visit.url = request.url();
  });
  page.on('response', (response) => {
    if (isPage(response.request())) visit.status = response.status();
  });
  return visit;
}

/** A page may ask and open what it wants; nobody answers, and nothing of it stays. */
function confine(context: BrowserContext, page: Page): void {
  page.on('dialog', (dialog) => void dialog.dismiss().catch(() => undefined));
  context.on('targetcreated', (target) => {
    if (target.type() !== 'page' || target === page.target()) return;
    void target
      .page()
      .then(async (popup) => await popup?.close())
      .catch(() => undefined);
  });
}

async function disposeOf(browser: Chromium, opening: Promise<BrowserContext>): Promise<void> {
  const closed = opening.then(async (context) => await context.close()).then(() => 'closed');
  const outcome = await Promise.race([
    closed.catch(() => 'closed'),
    sleep(closingMs, 'hangs' as const, { ref: false }),
  ]);
  if (outcome === 'hangs') browser.process()?.kill('SIGKILL');
}

const originOf = (url: string): string => {
  const parsed = URL.parse(url);
  return parsed && parsed.origin !== 'null' ? parsed.origin : url.slice(0, 100);
};

/** The browser's own word, without where it happened. */
const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/ at https?:.*$/s, '').slice(0, 200);
