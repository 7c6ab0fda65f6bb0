import type { PublicZone, StatusPage } from '../../../src/rules/status-page/build-status-page.ts';
import { historyDays } from '../../../src/rules/status-page/to-daily-history.ts';
import type { ZoneState } from '../../../src/rules/status-page/zone-states.ts';

const asOf = '2026-11-24T12:00:10.000Z';
const toHistory = (stateOn: (date: string, index: number) => ZoneState): PublicZone['history'] =>
  Array.from({ length: historyDays }, (_, index) => {
    const date = new Date(Date.parse(asOf) - (historyDays - 1 - index) * 86_400_000).toISOString().slice(0, 10);
    return { date, state: stateOn(date, index) };
  });

/** The page of the picture: one zone of two is degraded, with two objectives each. */
export const usualPage: StatusPage = {
  org: 'tidewater',
  product: 'boarding',
  title: 'Boarding',
  state: 'degraded',
  asOf,
  zones: [
    {
      name: 'boarding-prod',
      address: 'https://gates.tidewater.example',
      state: 'degraded',
      objectives: [
        { name: 'scans-answered', objective: '99.9', state: 'burning', attainment: 0.9962 },
        { name: 'scans-within-300-ms', objective: '95', state: 'meeting', attainment: 0.991 },
      ],
      history: toHistory(
        (date) => ({ '2026-10-01': 'down', '2026-11-24': 'degraded' } as const)[date] ?? 'operational',
      ),
    },
    {
      name: 'boarding-isles',
      address: 'https://isles.tidewater.example',
      state: 'operational',
      objectives: [{ name: 'scans-answered', objective: '99.9', state: 'unknown' }],
      history: toHistory(() => 'operational'),
    },
  ],
  incidents: [
    {
      title: 'Some tickets need two scans',
      impact: 'degraded',
      zones: ['boarding-prod'],
      openedAt: '2026-11-24T11:25:00.000Z',
      updates: [
        {
          at: '2026-11-24T11:31:00.000Z',
          text: 'Gate staff in Lerwick report that every third ticket needs two scans. Please have your ticket ready.',
        },
        { at: '2026-11-24T11:25:00.000Z', text: 'A problem was found.' },
      ],
    },
    {
      title: 'Outage',
      impact: 'down',
      zones: ['boarding-prod'],
      openedAt: '2026-11-16T05:31:00.000Z',
      resolvedAt: '2026-11-16T07:35:00.000Z',
      updates: [{ at: '2026-11-16T07:35:00.000Z', text: 'The problem is resolved.' }],
    },
  ],
};
