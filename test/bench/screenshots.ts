// Measures the screenshots of 20 zones, from a promoted Release to the stored artifact. The baseline is a plain browser
// that opens the same pages without confinement and stores nothing.
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { launch } from 'puppeteer-core';
import {
  createScreenshotActivities,
  type ScreenshotOutcome,
} from '../../activities/environments/screenshot-activities.ts';
import { viewport } from '../../src/integrations/browser/browser.ts';
import { chromiumBrowser } from '../../src/integrations/browser/chromium.ts';
import { ensureBubblewrap } from '../../src/main/tools/ensure-bubblewrap.ts';
import { ensureChromium } from '../../src/main/tools/ensure-chromium.ts';
import { toolCacheDir } from '../../src/main/tools/tool.ts';
import { ProductKind } from '../../src/rules/products/kinds.ts';
import { evidenceBytesMax } from '../../src/rules/changes/evidence.ts';
import { ReleaseKind } from '../../src/rules/releases/kinds.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';

const zones = 20;
const rounds = 3;
/** The limit of a worker. */
const maxConcurrentScreenshots = 2;
const namespace = 'org-bench';

const logProgress = (message: string): void => void process.stderr.write(`${message}\n`);
const { env } = process;
const search = { cacheDir: toolCacheDir(env), env, onProgress: logProgress };
const tool = await ensureChromium({ ...search, executable: env['CHROMIUM_PATH'], download: true });
if ('missing' in tool) throw new Error(tool.missing);
const bubblewrap = await ensureBubblewrap(search);
if ('missing' in bubblewrap) throw new Error(bubblewrap.missing);
const { path: bubblewrapPath } = bubblewrap;
const folder = await mkdtemp(join(tmpdir(), 'bench-'));
const site = createServer((request, response) => {
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(renderPage(request.headers.host ?? ''));
});
const port = await listenOnFreePort(site);
const service = await startService(tool.path);
const baseline = await startBaseline(tool.path);
try {
  logProgress('Warming up…');
  await service.capture(0);
  await baseline.capture(0);
  const roundSeconds: Record<'service' | 'baseline', number[]> = { service: [], baseline: [] };
  const screenshotMs: Record<'service' | 'baseline', number[]> = { service: [], baseline: [] };
  for (let round = 1; round <= rounds; round += 1)
    for (const [name, { capture }] of [['service', service] as const, ['baseline', baseline] as const]) {
      const startedAt = performance.now();
      screenshotMs[name].push(
        ...(await captureAll(capture, (done) =>
          process.stderr.write(`\r${name}, round ${round}: ${done} of ${zones} `),
        )),
      );
      roundSeconds[name].push((performance.now() - startedAt) / 1_000);
      process.stderr.write('\n');
    }
  const line = (what: string, values: typeof roundSeconds, unit: string): string => {
    const [ours, reference] = [median(values.service), median(values.baseline)];
    const cells = [
      `${ours.toFixed(1)} ${unit}`,
      `${reference.toFixed(1)} ${unit}`,
      `${(ours / reference).toFixed(2)}×`,
    ];
    return [what.padEnd(34), ...cells.map((cell) => cell.padStart(14))].join('');
  };
  process.stdout.write(
    [
      [''.padEnd(34), 'service', 'plain browser', 'ratio'].map((cell) => cell.padStart(14)).join(''),
      line(`${zones} zones, ${maxConcurrentScreenshots} at once`, roundSeconds, 's'),
      line('one screenshot, p50', screenshotMs, 'ms'),
      `${zones} zones in a minute: ${Math.max(...roundSeconds.service) <= 60 ? 'yes' : 'NO'}, the slowest of ${rounds} rounds took ${Math.max(...roundSeconds.service).toFixed(1)} s.`,
      '',
    ].join('\n'),
  );
} finally {
  await service.close();
  await baseline.close();
  site.closeAllConnections();
  site.close();
  await rm(folder, { recursive: true, force: true });
}

type BenchTarget = { capture: (zone: number) => Promise<void>; close: () => Promise<void> };

async function startService(executable: string): Promise<BenchTarget> {
  const store = openSqliteStore({ file: join(folder, 'store.sqlite') });
  const browser = chromiumBrowser({
    executable,
    bubblewrap: bubblewrapPath,
    profilesFolder: join(folder, 'browser'),
    imageBytesMax: evidenceBytesMax,
  });
  const address = (zone: string): string => `http://${zone}.localhost:${port}`;
  const names = Array.from({ length: zones }, (_, zone) => `zone-${zone}`);
  await store.create(ProductKind, {
    metadata: { namespace, name: 'bench' },
    spec: { repos: [], delivery: { zones: names.map((name) => ({ name, promotionPolicy: 'automatic' as const })) } },
  });
  await store.updateStatus(ProductKind, { namespace, name: 'bench' }, () => ({
    zones: names.map((name) => ({ name, release: 'bench-v1.0.0' })),
  }));
  await store.create(ReleaseKind, {
    metadata: { namespace, name: 'bench-v1.0.0' },
    spec: { product: 'bench', repo: 'bench/bench', commit: 'c', version: 'v1.0.0', startedBy: 'bench' },
  });
  await store.updateStatus(ReleaseKind, { namespace, name: 'bench-v1.0.0' }, () => ({
    phase: 'Promoting' as const,
    zones: names.map((name) => ({ name, phase: 'Verified' as const })),
  }));
  const { captureScreenshot } = createScreenshotActivities({
    store,
    browser,
    allowedInside: [],
    zoneAddress: address,
    zoneService: (_, zone) => address(zone),
    now: () => new Date(),
  });
  return {
    async capture(zone) {
      const ref = { org: 'bench', product: 'bench', zone: `zone-${zone}`, release: 'bench-v1.0.0' };
      const { outcome } = (await new MockActivityEnvironment().run(captureScreenshot, ref)) as ScreenshotOutcome;
      if (outcome !== 'taken') throw new Error(`The screenshot of zone-${zone}: ${outcome}`);
    },
    async close() {
      await browser.close();
      await store.close();
    },
  };
}

async function startBaseline(executablePath: string): Promise<BenchTarget> {
  const browser = await launch({
    executablePath,
    pipe: true,
    args: ['--no-sandbox', '--disable-gpu'],
    userDataDir: join(folder, 'baseline'),
    defaultViewport: viewport,
  });
  return {
    async capture(zone) {
      const context = await browser.createBrowserContext();
      const tab = await context.newPage();
      await tab.goto(`http://zone-${zone}.localhost:${port}/`, { waitUntil: 'load' });
      await tab.screenshot({ type: 'png' });
      await context.close();
    },
    close: async () => await browser.close(),
  };
}

async function captureAll(capture: BenchTarget['capture'], onProgress: (done: number) => void): Promise<number[]> {
  const pending = Array.from({ length: zones }, (_, zone) => zone);
  const durationsMs: number[] = [];
  const captureNext = async (): Promise<void> => {
    for (let zone = pending.shift(); zone !== undefined; zone = pending.shift()) {
      const startedAt = performance.now();
      await capture(zone);
      durationsMs.push(performance.now() - startedAt);
      onProgress(durationsMs.length);
    }
  };
  await Promise.all(Array.from({ length: maxConcurrentScreenshots }, captureNext));
  return durationsMs;
}

/** Renders a page with styles, a script and text, as a small app has. */
function renderPage(host: string): string {
  const cards = Array.from({ length: 60 }, (_, card) => `<article><h2>Card ${card}</h2><p>${host}</p></article>`);
  return `<!doctype html><title>${host}</title><style>body { font-family: sans-serif; background: linear-gradient(teal, navy) }
    main { display: grid; grid-template-columns: repeat(6, 1fr); gap: 12px }
    article { background: white; border-radius: 8px; padding: 12px; box-shadow: 0 2px 8px #0005 }</style>
    <main>${cards.join('')}</main><script>document.querySelectorAll('h2').forEach((title, at) => (title.style.color = 'hsl(' + at * 6 + ' 80% 40%)'))</script>`;
}

async function listenOnFreePort(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function median(values: number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
