// Measures the web UI in a browser, on a slowed computer and connection, against a bare page in the same run: what the first
// visit loads, when a decision can be read, how fast the page answers while the Change changes 20 times a second, and how
// large an org may be.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { launch, type Page } from 'puppeteer-core';
import { ensureChromium } from '../../src/main/tools/ensure-chromium.ts';
import { toolCacheDir } from '../../src/main/tools/tool.ts';
import { credentials } from '../clients/ui/ui-fixture.ts';
import { formatTable, type Row } from './table.ts';
import {
  measureColdPaint,
  measureFirstLoad,
  measureInteractions,
  measureList,
  measurePaintByLink,
  prepare,
  readHeap,
  readShift,
  slowDown,
} from './ui-measures.ts';
import { changePath, startBarePage, startWorld } from './ui-world.ts';

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean' },
    interactions: { type: 'string', default: '200' },
    events: { type: 'string', default: '10000' },
  },
});
const interactions = Number(options.interactions);
const events = Number(options.events);
const cpuFactor = 4;
const eventsPerSecond = 20;
const logProgress = (message: string): void => void process.stderr.write(`${message}\n`);

const { env } = process;
const search = { cacheDir: toolCacheDir(env), env, onProgress: logProgress };
const tool = await ensureChromium({ ...search, executable: env['CHROMIUM_PATH'], download: true });
if ('missing' in tool) throw new Error(tool.missing);
const closers: (() => Promise<void>)[] = [];
const onCleanup = (close: () => Promise<void>): void => void closers.unshift(close);
const userDataDir = await mkdtemp(join(tmpdir(), 'bench-ui-'));
onCleanup(async () => await rm(userDataDir, { recursive: true, force: true, maxRetries: 5 }));

try {
  logProgress('Seeding 200 Products, 600 zones and 1,000 Changes…');
  const world = await startWorld(onCleanup);
  const bareUrl = await startBarePage(onCleanup);
  const chromium = await launch({ executablePath: tool.path, pipe: true, userDataDir, args: ['--no-sandbox'] });
  onCleanup(async () => await chromium.close());
  const bare = await measureBare(await chromium.newPage(), bareUrl);
  const rows = await measureUi(await chromium.newPage(), world, bare);
  process.stdout.write(options.json ? `${JSON.stringify({ interactions, events, rows })}\n` : formatTable(rows));
} finally {
  for (const close of closers) await close();
}

type Bare = { paint: number; interaction: number; heap: number };

async function measureBare(page: Page, url: string): Promise<Bare> {
  logProgress('The bare page…');
  page.setDefaultTimeout(120_000);
  await prepare(page);
  await slowDown(page, cpuFactor);
  const paint = await measureColdPaint(page, url);
  const interaction = await measureInteractions(page, interactions);
  const heap = await readHeap(page);
  await page.close();
  return { paint, interaction, heap };
}

async function measureUi(page: Page, world: Awaited<ReturnType<typeof startWorld>>, bare: Bare): Promise<Row[]> {
  const { url, sendEvent } = world;
  page.setDefaultTimeout(120_000);
  await signIn(page, url);
  await prepare(page);
  logProgress('Lists…');
  const changes = await measureList(page, `${url}/acme/changes`);
  const products = await measureList(page, `${url}/acme`);
  logProgress(`The Change page at ${cpuFactor}× CPU…`);
  await slowDown(page, cpuFactor);
  const byLink = await measurePaintByLink(page, `${url}/acme/changes`, `a[href="${changePath}"]`);
  const cold = await measureColdPaint(page, url + changePath);
  const firstHeap = await readHeap(page);
  logProgress(`${interactions} interactions at ${eventsPerSecond} events a second…`);
  const stop = sendRegularly(sendEvent);
  const interaction = await measureInteractions(page, interactions).finally(stop);
  const shift = await readShift(page);
  logProgress(`${events} events…`);
  await slowDown(page, 1);
  for (let sent = 0; sent < events; sent += 1) await sendEvent();
  await pause(3_000);
  const heap = await readHeap(page);
  return [
    { what: 'scripts of the first load, gz', service: await measureFirstLoad(url), unit: 'kB', limit: 120 },
    { what: 'Change page useful, cold', service: cold, baseline: bare.paint, unit: 'ms', limit: 1_500 },
    { what: 'Change page useful, by a link', service: byLink, baseline: bare.paint, unit: 'ms', limit: 300 },
    { what: 'interaction, p98', service: interaction, baseline: bare.interaction, unit: 'ms', limit: 150 },
    { what: 'shift of the layout (CLS)', service: shift, unit: '', limit: 0.02 },
    { what: 'heap after the page has loaded', service: firstHeap, baseline: bare.heap, unit: 'MB' },
    { what: `heap after ${events} events`, service: heap, baseline: bare.heap, unit: 'MB', limit: 150 },
    { what: 'list of 1,000 Changes', service: changes.ms, unit: 'ms', limit: 1_000 },
    { what: 'nodes of that list', service: changes.nodes, unit: '', limit: 2_000 },
    { what: 'list of 200 Products with 600 zones', service: products.ms, unit: 'ms', limit: 1_000 },
    { what: 'nodes of that list of Products', service: products.nodes, unit: '', limit: 2_000 },
  ];
}

async function signIn(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/signin`);
  await page.locator('input[name=email]').fill(credentials.email);
  await page.locator('input[name=password]').fill(credentials.password);
  await page.keyboard.press('Enter');
  await page.waitForSelector('nav[aria-label=Main]');
}

/** Sends events at a steady pace, and returns how to stop. */
function sendRegularly(send: () => Promise<void>): () => Promise<void> {
  let isRunning = true;
  const running = (async () => {
    while (isRunning) {
      const next = performance.now() + 1_000 / eventsPerSecond;
      await send();
      await pause(Math.max(0, next - performance.now()));
    }
  })();
  return async () => {
    isRunning = false;
    await running;
  };
}
