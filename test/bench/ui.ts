// Measures the web UI in a browser against a bare page in the same run: what the first visit loads, when a decision can be
// read on a slowed computer and connection, how fast the page answers while a Change of 500 steps changes 20 times a
// second, its memory, and how long the lists of a large org take. Ends with status 1 when a limit is missed.
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Browser, launch, type Page } from 'puppeteer-core';
import { ensureChromium } from '../../src/main/tools/ensure-chromium.ts';
import { toolCacheDir } from '../../src/main/tools/tool.ts';
import { credentials } from '../clients/ui/ui-fixture.ts';
import { formatTable, isMissed, type Row } from './table.ts';
import { lists, measurements, type Measurement } from './ui-measurements.ts';
import { measureFirstLoad, prepare } from './ui-page.ts';
import { startBareWorld, startWorld, type World } from './ui-world.ts';

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean' },
    interactions: { type: 'string', default: '200' },
    events: { type: 'string', default: '10000' },
    seconds: { type: 'string', default: '240' },
    cpu: { type: 'string', default: '4' },
  },
});
const interactions = Number(options.interactions);
const events = Number(options.events);
/** The browser computes this many times slower than the machine. */
const cpuFactor = Number(options.cpu);
/** A measurement that takes longer counts as missed, so that the others are made and the whole ends. */
const measurementMsMax = 70_000;
const endsAt = performance.now() + Number(options.seconds) * 1_000;

const isTerminal = process.stderr.isTTY;
const logProgress = (message: string) => void process.stderr.write(isTerminal ? `\r\x1b[K${message}` : `${message}\n`);

const { env } = process;
const search = { cacheDir: toolCacheDir(env), env, onProgress: logProgress };
const tool = await ensureChromium({ ...search, executable: env['CHROMIUM_PATH'], download: true });
if ('missing' in tool) throw new Error(tool.missing);
const closers: (() => Promise<void>)[] = [];
const onCleanup = (close: () => Promise<void>): void => void closers.unshift(close);
const userDataDir = await mkdtemp(join(tmpdir(), 'bench-ui-'));
onCleanup(async () => await rm(userDataDir, { recursive: true, force: true, maxRetries: 5 }));

type Figures = Record<string, number>;

try {
  logProgress('Seeding 200 Products, 600 zones and 1,000 Changes…');
  const bare = await startBareWorld(onCleanup);
  const service = await startWorld(onCleanup);
  const chromium = await launch({
    executablePath: tool.path,
    pipe: true,
    userDataDir,
    args: ['--no-sandbox'],
    protocolTimeout: measurementMsMax,
  });
  onCleanup(async () => await chromium.close());
  await signIn(await chromium.newPage(), service.url);
  const found: Figures = { scripts: await measureFirstLoad(service.url) };
  const compared: Figures = {};
  for (const [name, measure] of measurements) {
    Object.assign(compared, await tryOut(chromium, { name: `${name} of the bare page`, measure, world: bare }));
    Object.assign(found, await tryOut(chromium, { name, measure, world: service }));
  }
  logProgress('');
  const rows = toRows(found, compared);
  const [load = 0] = loadavg();
  process.stdout.write(
    options.json
      ? `${JSON.stringify({ interactions, events, cpuFactor, load, rows })}\n`
      : `${formatTable(rows)}${cpuFactor}× CPU, load average ${load.toFixed(1)}\n`,
  );
  process.exitCode = rows.some(isMissed) ? 1 : 0;
} finally {
  // A browser that does not answer any more must not keep the program from ending.
  setTimeout(() => process.exit(), 10_000).unref();
  for (const close of closers) await close();
}

type Trial = { name: string; measure: Measurement; world: World };

/** Measures on a new page, which is left behind when it takes too long. */
async function tryOut(chromium: Browser, { name, measure, world }: Trial): Promise<Figures> {
  const msMax = Math.min(measurementMsMax, endsAt - performance.now());
  const page = await chromium.newPage();
  page.setDefaultTimeout(msMax);
  const done = new AbortController();
  const late = pause(Math.max(0, msMax), undefined, { signal: done.signal }).then(() => {
    throw new Error('It takes too long.');
  });
  late.catch(() => {});
  try {
    await prepare(page);
    return await Promise.race([measure({ page, world, interactions, events, cpuFactor, msMax, logProgress }), late]);
  } catch (error) {
    process.stderr.write(`\nNot measured: ${name}. ${String(error)}\n`);
    return {};
  } finally {
    done.abort();
    await page.close().catch(() => {});
  }
}

function toRows(found: Figures, compared: Figures): Row[] {
  const row = (what: string, key: string, rest: Pick<Row, 'unit' | 'limit' | 'atLeast'>, reference = key): Row => ({
    what,
    service: found[key] ?? Number.NaN,
    ...(compared[reference] && { baseline: compared[reference] }),
    ...rest,
  });
  return [
    row('scripts of the first load, gz', 'scripts', { unit: 'kB', limit: 120 }),
    row('Change page useful, cold', 'cold', { unit: 'ms', limit: 1_500 }),
    row('Change page useful, by a link', 'byLink', { unit: 'ms', limit: 300 }, 'cold'),
    row('interactions', 'presses', { unit: '', atLeast: interactions }, 'none'),
    row('interaction, p98', 'interaction', { unit: 'ms', limit: 150 }),
    row('state change written → painted, p95', 'update', { unit: 'ms', limit: 250 }),
    row('shift of the layout (CLS)', 'shift', { unit: '', limit: 0.02 }),
    row('heap of a Change of 500 steps', 'heap', { unit: 'MB' }),
    row(`heap after ${events} events`, 'heapAfter', { unit: 'MB', limit: 150 }),
    row('of which the last nine tenths added', 'heapGrowth', { unit: 'MB', limit: 5 }),
    ...lists.map(([name]) => row(`list of ${name}, first page`, name, { unit: 'ms', limit: 1_000 }, 'rows')),
  ];
}

async function signIn(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/signin`);
  await page.locator('input[name=email]').fill(credentials.email);
  await page.locator('input[name=password]').fill(credentials.password);
  await page.keyboard.press('Enter');
  await page.waitForSelector('nav[aria-label=Main]');
  await page.close();
}
