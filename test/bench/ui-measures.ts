import { gzipSync } from 'node:zlib';
import type { Page } from 'puppeteer-core';

/** Installed before each page: it notes when the decision is painted, the slow interactions and the shifts of layout. */
const recorder = `
  window.measured = { interactions: [], shift: 0 };
  const look = () => {
    if (document.querySelector('#decision')) requestAnimationFrame(() => (window.measured.usefulAt = performance.now()));
    else requestAnimationFrame(look);
  };
  look();
  new PerformanceObserver((list) => {
    for (const { duration, interactionId } of list.getEntries())
      if (interactionId > 0) window.measured.interactions.push(duration);
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
  if (factor === 1) return await page.emulateNetworkConditions(null);
  const bytesPerSecond = (10 * 1_000_000) / 8;
  await page.emulateNetworkConditions({ download: bytesPerSecond, upload: bytesPerSecond, latency: 40 });
}

/** Reads the scripts that the start page names, which every first visit loads. */
export async function measureFirstLoad(url: string): Promise<number> {
  const html = await (await fetch(url, { headers: { Accept: 'text/html' } })).text();
  const paths = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+\.js)"/g)].map(([, path = '']) => path);
  const files = await Promise.all(paths.map(async (path) => await (await fetch(new URL(path, url))).arrayBuffer()));
  return files.reduce((sum, file) => sum + gzipSync(new Uint8Array(file)).byteLength, 0) / 1000;
}

/** The time from the request of a page to the paint of its decision, with an empty cache. */
export async function measureColdPaint(page: Page, url: string): Promise<number> {
  await page.setCacheEnabled(false);
  await page.goto(url, { waitUntil: 'domcontentloaded' });
  await page.waitForFunction('window.measured.usefulAt !== undefined');
  await page.setCacheEnabled(true);
  return await read(page, 'window.measured.usefulAt');
}

/** The time from the press on a link of the list to the paint of the decision. */
export async function measurePaintByLink(page: Page, listUrl: string, link: string): Promise<number> {
  await page.goto(listUrl, { waitUntil: 'domcontentloaded' });
  await page.waitForSelector(link);
  await page.hover(link);
  return await read(
    page,
    `new Promise((resolve) => {
      const from = performance.now();
      const look = () =>
        document.querySelector('#decision')
          ? requestAnimationFrame(() => resolve(performance.now() - from))
          : requestAnimationFrame(look);
      document.querySelector(${JSON.stringify(link)}).click();
      look();
    })`,
  );
}

/** Opens and closes rows, and returns the 98th percentile of the time from each press to its paint. */
export async function measureInteractions(page: Page, count: number): Promise<number> {
  const rows = await page.$$('summary');
  for (let index = 0; index < count; index += 1) {
    const row = rows[index % Math.max(1, Math.min(10, rows.length))];
    // A row that an update has replaced is not there to press.
    await row?.click().catch(() => {});
  }
  await read(page, 'new Promise((resolve) => setTimeout(resolve, 500))');
  const durations = await read<number[]>(page, 'window.measured.interactions');
  // Interactions below the threshold of the observer take less than 16 ms.
  const all = [...durations, ...Array.from({ length: Math.max(0, count - durations.length) }, () => 16)];
  return all.toSorted((one, other) => one - other)[Math.floor(all.length * 0.98)] ?? 0;
}

export const readShift = async (page: Page): Promise<number> => await read(page, 'window.measured.shift');

/** The memory of the page's objects after a collection, in megabytes. */
export async function readHeap(page: Page): Promise<number> {
  const session = await page.createCDPSession();
  await session.send('HeapProfiler.collectGarbage');
  const { JSHeapUsedSize = 0 } = await page.metrics();
  await session.detach();
  return JSHeapUsedSize / 1_000_000;
}

/** The time to the rows of a list, and the nodes of its page. */
export async function measureList(page: Page, url: string): Promise<{ ms: number; nodes: number }> {
  await page.goto(url, { waitUntil: 'domcontentloaded' });
  await page.waitForSelector('tbody tr');
  const ms = await read<number>(page, 'performance.now()');
  return { ms, nodes: await read(page, "document.querySelectorAll('*').length") };
}
