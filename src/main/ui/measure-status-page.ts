import { hash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { renderStatusPage } from '../../../api/status-page/render-status-page.ts';
import { zonesPerProductMax } from '../../rules/products/kinds.ts';
import { slosPerProductMax } from '../../rules/slos/kinds.ts';
import { incidentsMax, type StatusPage } from '../../rules/status-page/build-status-page.ts';
import { historyDays } from '../../rules/status-page/to-daily-history.ts';
import { updatesMax } from '../../rules/status-page/to-public-incident.ts';
import { zoneStates } from '../../rules/status-page/zone-states.ts';
import type { Size } from './measure-ui.ts';

const statusPageMax = 15_000;

/** Measures the compressed status page with the most that every limit allows; it loads nothing else. */
export async function measureStatusPage(): Promise<Size> {
  const page = await renderStatusPage(buildLargestPage());
  return { name: 'status page', bytes: gzipSync(page, { level: 9 }).length, bytesMax: statusPageMax };
}

/** Builds a page that reaches every limit, in texts that hardly compress. */
export function buildLargestPage(): StatusPage {
  const asOf = '2026-01-01T00:00:00.000Z';
  const zones = list(zonesPerProductMax, (index) => `z${toNoise(`zone ${index}`, 39)}`);
  const slos = list(slosPerProductMax, (index) => `s${toNoise(`slo ${index}`, 39)}`);
  const toState = (seed: string) => zoneStates[Number.parseInt(toNoise(seed, 1), 16) % zoneStates.length] ?? 'down';
  return {
    org: toNoise('org', 40),
    product: toNoise('product', 40),
    title: toNoise('title', 100),
    state: 'down',
    asOf,
    zones: zones.map((name) => ({
      name,
      address: `https://${name}.example.com`,
      state: 'down',
      objectives: slos.map((slo) => ({
        name: slo,
        objective: '99.999999',
        state: 'burning',
        attainment: Number.parseInt(toNoise(`${name} ${slo}`, 5), 16) / 16 ** 5,
      })),
      history: list(historyDays, (day) => ({ date: asOf.slice(0, 10), state: toState(`${name} ${day}`) })),
    })),
    incidents: list(incidentsMax, (index) => ({
      title: toNoise(`incident ${index}`, 200),
      impact: 'down',
      zones,
      openedAt: asOf,
      updates: list(updatesMax, (update) => ({ at: asOf, text: toNoise(`update ${index} ${update}`, 2_000) })),
    })),
  };
}

const list = <T>(length: number, toItem: (index: number) => T): T[] =>
  Array.from({ length }, (_, index) => toItem(index));

/** The digits of hashes, so that every build measures the same page. */
const toNoise = (seed: string, length: number): string =>
  list(Math.ceil(length / 64), (part) => hash('sha256', `${seed} ${part}`))
    .join('')
    .slice(0, length);
