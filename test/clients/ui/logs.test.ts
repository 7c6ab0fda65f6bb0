import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { expect, it } from 'vitest';
import { defined } from '../../../src/defined.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';
import { startKubernetesLogs, type PodLines } from './kubernetes-logs-fixture.ts';
import { hurry, read, signIn } from './open-ui.ts';
import { openZoneUi } from './zone-fixture.ts';

const path = '/acme/products/shop/zones/shop-prod?tab=logs';
const frame = "document.querySelector('[role=region]')";
// The browser stops to look at a condition that has thrown, and the frame may not be there yet.
const rows = `[...(${frame}?.children ?? [])]`;
const distanceToEnd = `(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight)(${frame} ?? {})`;
const says = async (page: Page, text: string): Promise<unknown> =>
  await page.waitForFunction(`document.querySelector('main').innerText.includes(${JSON.stringify(text)})`);

const podCount = 5;
const linesPerPod = 2_000;
const start = Date.now() - 3_600_000;
/** Each 7th line is of a ferry that is late, and each 50th is an error. */
const writeLine = (pod: number, index: number): string => {
  const words = index % 50 === 0 ? 'ERROR no berth' : index % 7 === 0 ? 'WARN ferry late' : 'ferry left';
  return `${new Date(start + index * 1_000 + pod).toISOString()} ${words} #${pod}-${index}`;
};

async function openLogs() {
  const suffixes = ['4xkqp', 'b2lzn', 'tm6wv', 'pod3', 'pod4'];
  const pods = new Map<string, PodLines>(
    suffixes.map((suffix, pod) => [
      `shop-prod-7c9d8-${suffix}`,
      {
        lines: Array.from({ length: linesPerPod }, (_, index) => writeLine(pod, index)),
        previous: [`${new Date(start).toISOString()} the last words of ${suffix}`],
      },
    ]),
  );
  const world = await openZoneUi({ pods: podCount, telemetry: await startKubernetesLogs(pods) });
  return { ...world, pods };
}

/** The lines that the page shows, as a download writes them. */
const readLines = async (page: Page): Promise<string[]> =>
  (await page.evaluate(`${rows}.map((row) => {
    const [, at, pod, text] = row.children;
    return at.title.split(': ')[0] + ' ' + pod.title + ' ' + text.textContent;
  })`)) as string[];

async function download(page: Page): Promise<string> {
  const folder = await createScratchFolder();
  const client = await page.createCDPSession();
  await client.send('Browser.setDownloadBehavior', {
    ...defined({ browserContextId: page.browserContext().id }),
    behavior: 'allow',
    downloadPath: folder,
  });
  await page.locator('button ::-p-text(Download)').click();
  await expect.poll(async () => (await readdir(folder)).filter((name) => name.endsWith('.log')).length).toBe(1);
  const [file = ''] = await readdir(folder);
  expect(file).toMatch(/^shop-prod-[\d-]+T[\d-]+\.log$/);
  return await readFile(join(folder, file), 'utf8');
}

describeWithChromium('the logs of a zone with 5 pods of 2,000 lines', () => {
  it('are searched with true counts, also where they are not shown, and a download equals the view', async () => {
    const { page, faults, open, pods } = await openLogs();
    const all = [...pods.values()].flatMap(({ lines }) => lines);
    await open(path);
    await signIn(page);
    await says(page, '1,000 lines');
    for (const [words, count] of [
      ['ferry late', all.filter((line) => line.includes('ferry late')).length],
      ['no berth #3-', linesPerPod / 50],
      ['#1-1999', 1],
    ] as const) {
      await page.$eval('main input[type=search]', (input) => input.select());
      await page.type('main input[type=search]', words);
      const shown = Math.min(count, 200 * podCount);
      const found = `${count.toLocaleString('en')} ${count === 1 ? 'line' : 'lines'} found`;
      await says(page, shown === count ? found : `${found}, ${shown.toLocaleString('en')} shown`);
      await page.waitForFunction(`${rows}.length === ${shown}`);
      expect(await read(page, `${rows}.every((row) => row.querySelector('mark').textContent === '${words}')`)).toBe(
        true,
      );
    }
    await open(`${path}&contains=berth&level=error&lines=100`);
    await page.waitForFunction(`${rows}.length === ${(podCount * linesPerPod) / 50}`);
    const shown = await readLines(page);
    expect(shown[0]).toMatch(/Z shop-prod-7c9d8-\w+ ERROR no berth #/);
    expect(await download(page)).toBe(`${shown.join('\n')}\n`);
    expect(faults).toEqual([]);
  });

  it('follow the newest line until the reader scrolls, and then keep the place', async () => {
    const { page, faults, open, pods } = await openLogs();
    // The lines are read again every ten seconds.
    await hurry(page, 20);
    await open(path);
    await signIn(page);
    await page.waitForFunction(`${rows}.length === 1000 && ${distanceToEnd} < 24`);
    const [newest] = pods.values();
    const log = async (words: string): Promise<void> => {
      newest?.lines.push(`${new Date().toISOString()} ${words}`);
      await page.waitForFunction(`${rows}.some((row) => row.textContent.includes('${words}'))`);
    };
    await log('the first new line');
    expect(await read(page, distanceToEnd)).toBeLessThan(24);

    await page.hover('[role=region]');
    await page.mouse.wheel({ deltaY: -3_000 });
    await page.waitForSelector('button[aria-keyshortcuts=f][aria-pressed=false]');
    const middle = `document.elementFromPoint(${frame}.getBoundingClientRect().x + 300, ${frame}.getBoundingClientRect().y + 200).closest('[role=region] > div').textContent`;
    const seen = await read(page, middle);
    await log('a line that is not followed');
    expect(await read(page, middle)).toBe(seen);
    expect(Number(await read(page, distanceToEnd))).toBeGreaterThan(1_000);

    await page.keyboard.press('f');
    await page.waitForFunction(`${distanceToEnd} < 24`);
    await log('a line that is followed again');
    expect(await read(page, distanceToEnd)).toBeLessThan(24);
    expect(faults).toEqual([]);
  });

  it('show the previous container, and the line of a link to another person', async () => {
    const { page, faults, open, url } = await openLogs();
    await open(path);
    await signIn(page);
    await page.waitForFunction(`${rows}.length === 1000`);
    await page.locator('button ::-p-text(Previous container)').click();
    await page.waitForFunction(`${rows}.length === ${podCount}`);
    expect(await readLines(page)).toContainEqual(expect.stringMatching(/tm6wv the last words of tm6wv$/));
    await page.locator('button ::-p-text(Previous container)').click();
    await page.waitForFunction(`${rows}.length === 1000`);
    const chosen = String(await read(page, `${rows}[300].textContent`));
    await page.evaluate(`${rows}[300].querySelector('a').click()`);
    await page.waitForSelector('[role=region] [aria-current=true]');
    const context = await page.browser().createBrowserContext();
    const other = await context.newPage();
    await other.goto(url);
    await signIn(other);
    await other.goto(page.url());
    await other.waitForSelector('[role=region] [aria-current=true]');
    expect(await read(other, `${frame}.querySelector('[aria-current]').textContent`)).toBe(chosen);
    const isInView = `(([row, box]) => row.top >= box.top && row.bottom <= box.bottom)([${frame}.querySelector('[aria-current]'), ${frame}].map((one) => one.getBoundingClientRect()))`;
    expect(await read(other, isInView)).toBe(true);
    expect(faults).toEqual([]);
  });
});
