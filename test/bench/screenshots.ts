// `npm run bench:screenshots`: how long the pictures of 20 zones take, from a Release that came in to the artifact that
// is kept, beside a bare browser that opens the same pages as they are, unconfined and keeping nothing.
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { launch } from 'puppeteer-core';
import { createScreenshotActivities, type ScreenshotOutcome } from '../../activities/screenshots.ts';
import { viewport } from '../../src/integrations/browser/browser.ts';
import { chromiumBrowser } from '../../src/integrations/browser/chromium.ts';
import { chromium } from '../../src/main/tools/chromium.ts';
import { toolCacheDir } from '../../src/main/tools/tool.ts';
import { ProductKind } from '../../src/rules/catalog/kinds.ts';
import { evidenceBytesMax } from '../../src/rules/changes/evidence.ts';
import { ReleaseKind } from '../../src/rules/releases/kinds.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';

const zones = 20;
const rounds = 3;
/** As many as a worker takes at once. */
const atOnce = 2;
const namespace = 'org-bench';

const say = (message: string): void => void process.stderr.write(`${message}\n`);
const { env } = process;
const search = { cacheDir: toolCacheDir(env), env, onProgress: say };
const tool = await chromium({ ...search, executable: env['CHROMIUM_PATH'], fetch: true });
if ('missing' in tool) throw new Error(tool.missing);
const folder = await mkdtemp(join(tmpdir(), 'bench-'));
const site = createServer((request, response) => {
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(page(request.headers.host ?? ''));
});
const port = await listening(site);
const ours = await startOurs(tool.path);
const bare = await startBare(tool.path);
try {
  say('Warming up…');
  await ours.take(0);
  await bare.take(0);
  const took: Record<'ours' | 'bare', number[]> = { ours: [], bare: [] };
  const each: Record<'ours' | 'bare', number[]> = { ours: [], bare: [] };
  for (let round = 1; round <= rounds; round += 1)
    for (const [name, { take }] of [['ours', ours] as const, ['bare', bare] as const]) {
      const startedAt = performance.now();
      each[name].push(
        ...(await all(take, (done) => process.stderr.write(`\r${name}, round ${round}: ${done} of ${zones} `))),
      );
      took[name].push((performance.now() - startedAt) / 1_000);
      process.stderr.write('\n');
    }
  const line = (what: string, of: typeof took, unit: string): string => {
    const [our, reference] = [middle(of.ours), middle(of.bare)];
    const cells = [`${our.toFixed(1)} ${unit}`, `${reference.toFixed(1)} ${unit}`, `${(our / reference).toFixed(2)}×`];
    return [what.padEnd(34), ...cells.map((cell) => cell.padStart(14))].join('');
  };
  process.stdout.write(
    [
      [''.padEnd(34), 'ours', 'bare browser', 'ratio'].map((cell) => cell.padStart(14)).join(''),
      line(`${zones} zones, ${atOnce} at once`, took, 's'),
      line('one picture, p50', each, 'ms'),
      `${zones} zones in a minute: ${Math.max(...took.ours) <= 60 ? 'yes' : 'NO'}, the slowest of ${rounds} rounds took ${Math.max(...took.ours).toFixed(1)} s.`,
      '',
    ].join('\n'),
  );
} finally {
  await ours.close();
  await bare.close();
  site.closeAllConnections();
  site.close();
  await rm(folder, { recursive: true, force: true });
}

type Contender = { take: (zone: number) => Promise<void>; close: () => Promise<void> };

async function startOurs(executable: string): Promise<Contender> {
  const store = openSqliteStore({ file: join(folder, 'store.sqlite') });
  const browser = chromiumBrowser({ executable, folder: join(folder, 'browser'), imageBytesMax: evidenceBytesMax });
  const address = (zone: string): string => `http://${zone}.localhost:${port}`;
  const names = Array.from({ length: zones }, (_, zone) => `zone-${zone}`);
  await store.create(ProductKind, {
    metadata: { namespace, name: 'bench' },
    spec: { repos: [], delivery: { zones: names.map((name) => ({ name, arrival: 'automatic' as const })) } },
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
  const { keepScreenshot } = createScreenshotActivities({
    store,
    browser,
    zoneAddress: address,
    zoneService: (_, zone) => address(zone),
    now: () => new Date(),
  });
  return {
    async take(zone) {
      const ref = { org: 'bench', product: 'bench', zone: `zone-${zone}`, release: 'bench-v1.0.0' };
      const { outcome } = (await new MockActivityEnvironment().run(keepScreenshot, ref)) as ScreenshotOutcome;
      if (outcome !== 'taken') throw new Error(`The picture of zone-${zone}: ${outcome}`);
    },
    async close() {
      await browser.close();
      await store.close();
    },
  };
}

async function startBare(executablePath: string): Promise<Contender> {
  const browser = await launch({
    executablePath,
    pipe: true,
    args: ['--no-sandbox', '--disable-gpu'],
    userDataDir: join(folder, 'bare'),
    defaultViewport: viewport,
  });
  return {
    async take(zone) {
      const context = await browser.createBrowserContext();
      const tab = await context.newPage();
      await tab.goto(`http://zone-${zone}.localhost:${port}/`, { waitUntil: 'load' });
      await tab.screenshot({ type: 'png' });
      await context.close();
    },
    close: async () => await browser.close(),
  };
}

async function all(take: Contender['take'], progress: (done: number) => void): Promise<number[]> {
  const waiting = Array.from({ length: zones }, (_, zone) => zone);
  const tookMs: number[] = [];
  const keepTaking = async (): Promise<void> => {
    for (let zone = waiting.shift(); zone !== undefined; zone = waiting.shift()) {
      const startedAt = performance.now();
      await take(zone);
      tookMs.push(performance.now() - startedAt);
      progress(tookMs.length);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, keepTaking));
  return tookMs;
}

/** A page as a small app has it: some style, some script, some text. */
function page(host: string): string {
  const cards = Array.from({ length: 60 }, (_, card) => `<article><h2>Card ${card}</h2><p>Of ${host}</p></article>`);
  return `<!doctype html><title>${host}</title><style>body { font-family: sans-serif; background: linear-gradient(teal, navy) }
    main { display: grid; grid-template-columns: repeat(6, 1fr); gap: 12px }
    article { background: white; border-radius: 8px; padding: 12px; box-shadow: 0 2px 8px #0005 }</style>
    <main>${cards.join('')}</main><script>document.querySelectorAll('h2').forEach((title, at) => (title.style.color = 'hsl(' + at * 6 + ' 80% 40%)'))</script>`;
}

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function middle(values: number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
