import { gzipSync } from 'node:zlib';
import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from 'puppeteer-core';
import type { SendTurn } from './ui-world.ts';

/** Installed before each page: it notes when the decision is painted, the interactions and the shifts of layout. */
const recorder = `
  window.measured = { interactions: {}, shift: 0 };
  window.onceShown = (isShown) =>
    new Promise((resolve) => {
      const look = () => requestAnimationFrame(() => (isShown() ? resolve(performance.now()) : look()));
      look();
    });
  window.onceShown(() => document.querySelector('#decision')).then((at) => (window.measured.usefulAt = at));
  new PerformanceObserver((list) => {
    const { interactions } = window.measured;
    for (const { duration, interactionId } of list.getEntries())
      if (interactionId > 0) interactions[interactionId] = Math.max(duration, interactions[interactionId] ?? 0);
  }).observe({ type: 'event', durationThreshold: 16 });
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.measured.shift += value;
  }).observe({ type: 'layout-shift', buffered: true });
`;

export const prepare = async (page: Page): Promise<void> => void (await page.evaluateOnNewDocument(recorder));

const read = async <T>(page: Page, expression: string): Promise<T> => (await page.evaluate(expression)) as T;

/** A slow computer with a mobile connection. */
export async function slowDown(page: Page, factor: number): Promise<void> {
  await page.emulateCPUThrottling(factor);
  const bytesPerSecond = (10 * 1_000_000) / 8;
  await page.emulateNetworkConditions({ download: bytesPerSecond, upload: bytesPerSecond, latency: 40 });
}

/** Reads the scripts that the start page names, which every first visit loads; compressed as the build measures them. */
export async function measureFirstLoad(url: string): Promise<number> {
  const html = await (await fetch(url, { headers: { Accept: 'text/html' } })).text();
  const paths = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+\.js)"/g)].map(([, path = '']) => path);
  const files = await Promise.all(paths.map(async (path) => await (await fetch(new URL(path, url))).arrayBuffer()));
  return files.reduce((sum, file) => sum + gzipSync(new Uint8Array(file), { level: 9 }).byteLength, 0) / 1000;
}

/** The time from the request of a page to the paint of its decision, with an empty cache. */
export async function measureColdPaint(page: Page, url: string): Promise<number> {
  await page.setCacheEnabled(false);
  await page.goto(url, { waitUntil: 'domcontentloaded' });
  await page.waitForFunction('window.measured.usefulAt !== undefined');
  await page.setCacheEnabled(true);
  return await read(page, 'window.measured.usefulAt');
}

/** The time in which a person finds the link, while the rest of the list loads. */
const lookMs = 1_000;
/** The time that a pointer rests on a link before a person presses it. */
const hoverMs = 100;

/** The time from the press on a link of the list to the paint of the decision. */
export async function measurePaintByLink(page: Page, listUrl: string, link: string): Promise<number> {
  await page.goto(listUrl, { waitUntil: 'domcontentloaded' });
  await page.waitForSelector(link);
  await pause(lookMs);
  await page.hover(link);
  await pause(hoverMs);
  return await read(
    page,
    `(async () => {
      const from = performance.now();
      document.querySelector(${JSON.stringify(link)}).click();
      return (await window.onceShown(() => document.querySelector('#decision'))) - from;
    })()`,
  );
}

/** No person presses faster. */
const pressPauseMs = 100;

type InteractionOptions = { count: number; until: number; onProgress: (done: number) => void };

/** Opens and closes steps by pointer and keys, and returns the times from each press to its paint. */
export async function measureInteractions(
  page: Page,
  { count, until, onProgress }: InteractionOptions,
): Promise<number[]> {
  let done = 0;
  for (; done < count && performance.now() < until; done += 1) {
    if (done % 20 === 0) onProgress(done);
    await press(page, done);
    await pause(pressPauseMs);
  }
  await pause(500);
  const measured = Object.values(await read<Record<string, number>>(page, 'window.measured.interactions'));
  // The browser does not report what takes less than 16 ms.
  return [...measured, ...Array.from({ length: Math.max(0, done - measured.length) }, () => 16)];
}

async function press(page: Page, index: number): Promise<void> {
  // The page opens the next step by "n", and the one before by "p".
  const key = (['', 'n', 'n', 'p'] as const)[index % 4];
  if (key) return await page.keyboard.press(key);
  const [x, y] = await read<[number, number]>(
    page,
    `(() => {
      const line = document.querySelector('#step-${(index / 4) % 10} summary');
      line.scrollIntoView({ block: 'center' });
      const { left, top, width, height } = line.getBoundingClientRect();
      return [left + width / 2, top + height / 2];
    })()`,
  );
  await page.mouse.click(x, y);
}

/** The times from the writes of a step's turns to the frames that show them. */
export async function measureUpdates(page: Page, sendTurn: SendTurn, count: number): Promise<number[]> {
  const delays: number[] = [];
  for (let turns = 1_000; turns < 1_000 + count; turns += 1) {
    const shown = awaitTurns(page, turns);
    const writtenAt = await sendTurn({ run: 'large', step: 0, turns });
    delays.push((await shown) - writtenAt);
  }
  return delays;
}

/** Waits until a frame shows this number of turns of the first step, and returns its time. */
export const awaitTurns = async (page: Page, turns: number): Promise<number> =>
  await read(
    page,
    `window.onceShown(() => document.querySelector('#step-0 summary').textContent.includes('${turns} turns'))
      .then((at) => performance.timeOrigin + at)`,
  );

export const readShift = async (page: Page): Promise<number> => await read(page, 'window.measured.shift');

/** The memory of the page's objects after a collection, in megabytes. */
export async function readHeap(page: Page): Promise<number> {
  const session = await page.createCDPSession();
  await session.send('HeapProfiler.collectGarbage');
  const { JSHeapUsedSize = 0 } = await page.metrics();
  await session.detach();
  return JSHeapUsedSize / 1_000_000;
}

/** The time to the rows of a page. */
export async function measureRows(page: Page, url: string, rows: string): Promise<number> {
  await page.goto(url, { waitUntil: 'domcontentloaded' });
  await page.waitForSelector(rows);
  return await read(page, 'performance.now()');
}

export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN;
}
