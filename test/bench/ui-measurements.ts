import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from 'puppeteer-core';
import { largeChange, smallChange } from '../clients/ui/large-org.ts';
import * as measures from './ui-page.ts';
import type { SendTurn, World } from './ui-world.ts';

type Figures = Record<string, number>;
type Context = {
  page: Page;
  world: World;
  interactions: number;
  events: number;
  cpuFactor: number;
  /** The time in which the measurement must be done. */
  msMax: number;
  logProgress: (message: string) => void;
};
export type Measurement = (context: Context) => Promise<Figures>;

const eventsPerSecond = 20;
const updates = 100;
const largePath = `/acme/changes/${largeChange}`;
const toUrl = ({ world }: Context, path: string): string => (world.isBare ? world.url : world.url + path);

export const lists: [name: string, path: string, rows: string][] = [
  ['Products', '/acme', 'tbody tr'],
  ['Changes', '/acme/changes', 'tbody tr'],
  ['decisions', '/', '[data-rows] > li'],
];

const measureLists: Measurement = async ({ page, world: { url, isBare }, logProgress }) => {
  if (isBare) return { rows: await measures.measureRows(page, url, 'summary') };
  const figures: Figures = {};
  for (const [name, path, rows] of lists) {
    logProgress(`The list of ${name}…`);
    figures[name] = await measures.measureRows(page, url + path, rows);
  }
  return figures;
};

const measurePaint: Measurement = async (context) => {
  const { page, world, cpuFactor, logProgress } = context;
  logProgress(`Paint at ${cpuFactor}× CPU…`);
  await measures.slowDown(page, cpuFactor);
  const cold = await repeat(async () => await measures.measureColdPaint(page, toUrl(context, largePath)));
  if (world.isBare) return { cold };
  const list = `${world.url}/acme/changes`;
  const byLink = await repeat(async () => await measures.measurePaintByLink(page, list, `a[href="${largePath}"]`));
  return { cold, byLink };
};

/** Measures five times, and returns the median. */
async function repeat(measure: () => Promise<number>): Promise<number> {
  const times: number[] = [];
  for (let time = 0; time < 5; time += 1) times.push(await measure());
  return measures.percentile(times, 0.5);
}

const measureInteractions: Measurement = async (context) => {
  const { page, world, cpuFactor, msMax, logProgress } = context;
  // The bare page is as fast each time, so that half as many are enough.
  const interactions = world.isBare ? context.interactions / 2 : context.interactions;
  const until = performance.now() + msMax * (world.isBare ? 0.4 : 0.8);
  await measures.slowDown(page, cpuFactor);
  await page.goto(toUrl(context, largePath), { waitUntil: 'domcontentloaded' });
  await page.waitForSelector('#step-497');
  const heap = await measures.readHeap(page);
  const stop = sendRegularly(world.sendTurn);
  try {
    // Shifts soon after a press do not count, so they are measured without one.
    await pause(3_000);
    const shift = await measures.readShift(page);
    const onProgress = (done: number): void =>
      logProgress(`${done} of ${interactions} interactions at ${eventsPerSecond} events a second…`);
    const times = await measures.measureInteractions(page, { count: interactions, until, onProgress });
    return { heap, shift, interaction: measures.percentile(times, 0.98), presses: times.length };
  } finally {
    await stop();
  }
};

const measureUpdates: Measurement = async (context) => {
  const { page, world, cpuFactor, logProgress } = context;
  logProgress(`${updates} updates at ${cpuFactor}× CPU…`);
  await measures.slowDown(page, cpuFactor);
  await page.goto(toUrl(context, largePath), { waitUntil: 'domcontentloaded' });
  await page.waitForSelector('#step-0');
  // A page is shown first, and followed then.
  await world.sendTurn({ run: 'large', step: 0, turns: 999 });
  await measures.awaitTurns(page, 999);
  return { update: measures.percentile(await measures.measureUpdates(page, world.sendTurn, updates), 0.95) };
};

const measureHeap: Measurement = async ({ page, world, events, logProgress }) => {
  if (world.isBare) return {};
  await page.goto(`${world.url}/acme/changes/${smallChange}`, { waitUntil: 'domcontentloaded' });
  await page.waitForSelector('#step-0');
  const heaps: number[] = [];
  for (let turns = 1; turns <= events; turns += 1) {
    await world.sendTurn({ run: 'small', step: 0, turns });
    if (turns % 500 === 0) logProgress(`${turns} of ${events} events…`);
    if (turns !== Math.ceil(events / 10) && turns !== events) continue;
    await measures.awaitTurns(page, turns);
    heaps.push(await measures.readHeap(page));
  }
  const [early = Number.NaN, late = Number.NaN] = heaps;
  return { heapAfter: late, heapGrowth: late - early };
};

export const measurements: [name: string, measure: Measurement][] = [
  ['lists', measureLists],
  ['paint', measurePaint],
  ['interactions', measureInteractions],
  ['updates', measureUpdates],
  ['heap', measureHeap],
];

/** Changes one step after the other at a steady pace, and returns how to stop. */
function sendRegularly(sendTurn: SendTurn): () => Promise<void> {
  let isRunning = true;
  const running = (async () => {
    for (let turns = 10; isRunning; turns += 1) {
      const next = performance.now() + 1_000 / eventsPerSecond;
      await sendTurn({ run: 'large', step: turns % 400, turns });
      await pause(Math.max(0, next - performance.now()));
    }
  })();
  return async () => {
    isRunning = false;
    await running;
  };
}
