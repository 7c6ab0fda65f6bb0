import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from './browser.ts';
import { captureSite, closeTimeoutMs, type Timeouts, toFailure } from './capture-site.ts';
import { type IsolatedChromium, launchIsolated } from './launch-isolated.ts';

export type ChromiumOptions = {
  executable: string;
  /** The host path of `bwrap`, which isolates the browser. */
  bubblewrap: string;
  /** The folder of the browser profiles. */
  profilesFolder: string;
  imageBytesMax: number;
  timeouts?: Partial<Timeouts>;
};

const defaultTimeouts: Timeouts = {
  loadTimeoutMs: 8_000,
  settleTimeoutMs: 2_000,
  captureTimeoutMs: 15_000,
  idleTimeoutMs: 5 * 60_000,
};

/** Without these flags a page could bypass its proxy or write to the disk. */
export const pageFlags = [
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
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.1.*',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--js-flags=--max-old-space-size=512',
];

/**
 * Runs one browser for all captures, with a separate context and proxy for each. The browser starts with the first
 * capture; one that hangs is killed and started again by the next capture.
 */
export function chromiumBrowser(options: ChromiumOptions): Browser {
  const { profilesFolder, imageBytesMax } = options;
  const timeouts = { ...defaultTimeouts, ...options.timeouts };
  let running: Promise<IsolatedChromium | undefined> = Promise.resolve(undefined);
  let launches = 0;
  let activeCaptures = 0;
  let idle: NodeJS.Timeout | undefined;

  const launch = async (): Promise<IsolatedChromium> => {
    const profile = join(profilesFolder, `profile-${(launches += 1)}`);
    await rm(profile, { recursive: true, force: true });
    await mkdir(profile, { recursive: true });
    const { executable, bubblewrap } = options;
    const timeoutMs = timeouts.captureTimeoutMs;
    return await launchIsolated({ executable, bubblewrap, profile, flags: pageFlags, timeoutMs });
  };
  /** Concurrent captures wait for the same browser. */
  const ensureRunning = async (): Promise<IsolatedChromium> => {
    const ready = running
      .catch(() => undefined)
      .then(async (browser) => (browser?.chromium.connected ? browser : await launch()));
    running = ready;
    return await ready;
  };
  const end = async (): Promise<void> => {
    const ending = running;
    running = Promise.resolve(undefined);
    const browser = await ending.catch(() => undefined);
    if (browser) await closeBrowser(browser);
  };

  return {
    async capture(site, signal) {
      clearTimeout(idle);
      activeCaptures += 1;
      try {
        const request = { site, signal, timeouts, imageBytesMax };
        const result = await captureSite(await ensureRunning(), request);
        // A concurrent capture may have crashed the browser, so this one is tried once more.
        if (result !== 'browser-ended') return result;
        const retried = await captureSite(await ensureRunning(), request);
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

async function closeBrowser({ chromium, kill, ended }: IsolatedChromium): Promise<void> {
  const closed = chromium.close().then(
    async () => await ended,
    () => undefined,
  );
  await Promise.race([closed, sleep(closeTimeoutMs, undefined, { ref: false })]);
  kill();
  await ended;
}
