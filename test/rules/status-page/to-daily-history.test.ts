import { expect, it } from 'vitest';
import { historyDays, toDailyHistory } from '../../../src/rules/status-page/to-daily-history.ts';

const now = new Date('2026-11-24T12:00:00Z');
const since = new Date('2026-11-10T15:00:00Z');
const span = (start: string, end?: string) => ({ start: new Date(start), ...(end && { end: new Date(end) }) });

it('gives each of the last 90 UTC days the worst state that its incidents caused', () => {
  const history = toDailyHistory(
    [
      { severity: 'warning', spans: [span('2026-11-20T23:59:59Z', '2026-11-22T00:00:00Z')] },
      { severity: 'critical', spans: [span('2026-11-21T08:00:00Z', '2026-11-21T08:01:00Z')] },
      { severity: 'info', spans: [span('2026-11-19T00:00:00Z')] },
      { severity: 'critical', spans: [span('2026-11-24T11:00:00Z')] },
    ],
    { since, now },
  );
  expect(history).toHaveLength(historyDays);
  expect(history[0]?.date).toBe('2026-08-27');
  expect(history.slice(-6)).toEqual([
    { date: '2026-11-19', state: 'operational' },
    { date: '2026-11-20', state: 'degraded' },
    { date: '2026-11-21', state: 'down' },
    { date: '2026-11-22', state: 'degraded' },
    { date: '2026-11-23', state: 'operational' },
    { date: '2026-11-24', state: 'down' },
  ]);
});

it('says that nothing was released on the days before the Product existed', () => {
  const history = toDailyHistory([], { since, now });
  const first = history.findIndex(({ state }) => state === 'operational');
  expect(history[first]?.date).toBe('2026-11-10');
  expect(history.slice(0, first).every(({ state }) => state === 'not-released')).toBe(true);
});
