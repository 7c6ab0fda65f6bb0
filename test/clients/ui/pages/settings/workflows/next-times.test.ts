import { expect, it } from 'vitest';
import { formatInZone } from '../../../../../../src/clients/ui/pages/settings/workflows/format-in-zone.ts';
import { listNextTimes } from '../../../../../../src/clients/ui/pages/settings/workflows/next-times.ts';
import { findNextDueTime } from '../../../../../../src/rules/scheduling/due-times.ts';

const from = new Date('2026-11-23T02:50:00Z');

it('lists the next times of all schedules in the time zone, each once', () => {
  const times = listNextTimes(['0 6 * * 1', '0 6 * * *'], 'Europe/Berlin', from, 3);
  expect(times.map((time) => time.toISOString())).toEqual([
    '2026-11-23T05:00:00.000Z',
    '2026-11-24T05:00:00.000Z',
    '2026-11-25T05:00:00.000Z',
  ]);
  expect(times.map((time) => formatInZone(time, 'Europe/Berlin'))[0]).toBe('Mon 23 Nov, 06:00');
});

it('reads an empty time zone as UTC, and lists nothing for what is no schedule', () => {
  expect(listNextTimes(['30 3 * * *'], '', from, 1)).toEqual([new Date('2026-11-23T03:30:00Z')]);
  expect(listNextTimes(['every day'], 'UTC', from)).toEqual([]);
});

it.each([
  ['30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z'],
  ['*/15 2 * * *', 'America/New_York', '2026-03-08T05:00:00Z'],
  ['*/30 * * * *', 'America/New_York', '2026-03-08T06:00:00Z'],
  ['*/30 * * * *', 'America/New_York', '2026-11-01T05:00:00Z'],
  ['*/30 * * * *', 'America/New_York', '2026-11-01T06:10:00Z'],
  ['30 1 * * *', 'America/New_York', '2026-10-31T12:00:00Z'],
  ['0 0 * * FRI', 'Africa/Cairo', '2026-04-22T22:00:00Z'],
  ['15 0 24 * *', 'Africa/Cairo', '2026-04-01T00:00:00Z'],
  ['15 2 * * *', 'Australia/Lord_Howe', '2026-10-02T16:00:00Z'],
  ['45 1 * * *', 'Australia/Lord_Howe', '2026-04-03T16:00:00Z'],
])('lists the times of %s in %s from %s on at which the service starts a run', (cron, timeZone, begin) => {
  const schedule = { crons: [cron], timeZone };
  const due: Date[] = [];
  for (let at = findNextDueTime(schedule, new Date(begin)); at && due.length < 5; at = findNextDueTime(schedule, at))
    due.push(at);
  expect(listNextTimes([cron], timeZone, new Date(begin))).toEqual(due);
});
