import { describe, expect, it } from 'vitest';
import { findLastDueTime, findNextDueTime } from '../../../src/rules/scheduling/due-times.ts';

const newYork = 'America/New_York';
const cairo = 'Africa/Cairo';
const lordHowe = 'Australia/Lord_Howe';

/** Returns the next due times in UTC, as `MM-DDTHH:MM`. */
function upcoming(cron: string | string[], timeZone: string, { from, count = 3 }: { from: string; count?: number }) {
  const schedule = { crons: [cron].flat(), timeZone };
  const times: Date[] = [];
  for (
    let at = findNextDueTime(schedule, new Date(from));
    at && times.length < count;
    at = findNextDueTime(schedule, at)
  )
    times.push(at);
  return times.map((at) => at.toISOString().slice(5, 16)).join(' ');
}

describe('a clock that goes forward', () => {
  it.each([
    [
      'New York skips 02:00 to 03:00',
      '30 2 * * *',
      newYork,
      '2026-03-07T12:00Z',
      '03-08T07:00 03-09T06:30 03-10T06:30',
    ],
    [
      'a time before the gap is unaffected',
      '59 1 * * *',
      newYork,
      '2026-03-07T12:00Z',
      '03-08T06:59 03-09T05:59 03-10T05:59',
    ],
    [
      'a time at the end of the gap is unaffected',
      '0 3 * * *',
      newYork,
      '2026-03-07T12:00Z',
      '03-08T07:00 03-09T07:00 03-10T07:00',
    ],
    [
      'several times in the gap become one',
      '*/15 2 * * *',
      newYork,
      '2026-03-08T05:00Z',
      '03-08T07:00 03-09T06:00 03-09T06:15',
    ],
    [
      'a time in the gap and one at its end become one',
      '0 2,3 * * *',
      newYork,
      '2026-03-08T05:00Z',
      '03-08T07:00 03-09T06:00 03-09T07:00',
    ],
    ['every half hour has no gap', '*/30 * * * *', newYork, '2026-03-08T06:00Z', '03-08T06:30 03-08T07:00 03-08T07:30'],
    ['Cairo skips midnight', '0 0 * * *', cairo, '2026-04-22T22:00Z', '04-23T22:00 04-24T21:00 04-25T21:00'],
    [
      'Cairo’s skipped midnight belongs to Friday',
      '0 0 * * FRI',
      cairo,
      '2026-04-22T22:00Z',
      '04-23T22:00 04-30T21:00 05-07T21:00',
    ],
    [
      'Cairo’s skipped midnight belongs to the 24th',
      '15 0 24 * *',
      cairo,
      '2026-04-01T00:00Z',
      '04-23T22:00 05-23T21:15 06-23T21:15',
    ],
    [
      'Lord Howe skips 02:00 to 02:30',
      '15 2 * * *',
      lordHowe,
      '2026-10-02T16:00Z',
      '10-03T15:30 10-04T15:15 10-05T15:15',
    ],
    [
      'Lord Howe does not skip 02:45',
      '45 2 * * *',
      lordHowe,
      '2026-10-02T16:30Z',
      '10-03T15:45 10-04T15:45 10-05T15:45',
    ],
  ])('%s', (_, cron, zone, from, expected) => expect(upcoming(cron, zone, { from })).toBe(expected));
});

describe('a clock that goes back', () => {
  it.each([
    ['New York has 01:30 twice', '30 1 * * *', newYork, '2026-10-31T12:00Z', '11-01T05:30 11-02T06:30 11-03T06:30'],
    [
      'every half hour is due once',
      '*/30 * * * *',
      newYork,
      '2026-11-01T05:00Z',
      '11-01T05:30 11-01T07:00 11-01T07:30',
    ],
    [
      'nothing is due in the repeated hour',
      '*/30 * * * *',
      newYork,
      '2026-11-01T06:10Z',
      '11-01T07:00 11-01T07:30 11-01T08:00',
    ],
    ['Cairo has 23:30 twice', '30 23 * * *', cairo, '2026-10-28T22:00Z', '10-29T20:30 10-30T21:30 10-31T21:30'],
    ['Lord Howe has 01:45 twice', '45 1 * * *', lordHowe, '2026-04-03T16:00Z', '04-04T14:45 04-05T15:15 04-06T15:15'],
    ['Lord Howe has 01:15 once', '15 1 * * *', lordHowe, '2026-04-03T16:00Z', '04-04T14:15 04-05T14:45 04-06T14:45'],
  ])('%s', (_, cron, zone, from, expected) => expect(upcoming(cron, zone, { from })).toBe(expected));
});

describe('days', () => {
  it.each([
    [
      'of month or of week: one of them matches',
      '0 9 13 * FRI',
      '2026-01-01T00:00Z',
      '01-02T09:00 01-09T09:00 01-13T09:00',
    ],
    [
      'in steps or of week: one of them matches',
      '0 9 */15 * MON',
      '2026-01-01T10:00Z',
      '01-05T09:00 01-12T09:00 01-16T09:00',
    ],
    ['of week alone', '0 9 * * 1-5', '2026-01-02T10:00Z', '01-05T09:00 01-06T09:00 01-07T09:00'],
    ['Sunday is 0 and 7', '0 9 * * 7', '2026-01-02T10:00Z', '01-04T09:00 01-11T09:00 01-18T09:00'],
    ['the 31st', '0 0 31 * *', '2026-02-01T00:00Z', '03-31T00:00 05-31T00:00 07-31T00:00'],
    [
      'a day that the month does not have, or a weekday',
      '0 0 30 2 1',
      '2026-02-10T00:00Z',
      '02-16T00:00 02-23T00:00 02-01T00:00',
    ],
  ])('%s', (_, cron, from, expected) => expect(upcoming(cron, 'UTC', { from })).toBe(expected));

  it('29 February occurs every four years, except in 2100', () => {
    const schedule = { crons: ['0 12 29 2 *'], timeZone: 'UTC' };
    expect(findNextDueTime(schedule, new Date('2026-11-21T00:00Z'))?.toISOString()).toBe('2028-02-29T12:00:00.000Z');
    expect(findNextDueTime(schedule, new Date('2096-03-01T00:00Z'))?.toISOString()).toBe('2104-02-29T12:00:00.000Z');
    expect(findLastDueTime(schedule, new Date('2026-11-21T00:00Z'))?.toISOString()).toBe('2024-02-29T12:00:00.000Z');
  });

  it('a day that a time zone skipped is due at the end of the gap', () =>
    expect(upcoming('0 12 30 * *', 'Pacific/Apia', { from: '2011-12-01T00:00Z', count: 2 })).toBe(
      '12-30T10:00 01-29T22:00',
    ));
});

it('several cron expressions are all due', () => {
  const crons = ['0 9 * * *', '30 9 * * *', '0 9 * * MON'];
  expect(upcoming(crons, 'UTC', { from: '2026-01-05T00:00Z' })).toBe('01-05T09:00 01-05T09:30 01-06T09:00');
  expect(findLastDueTime({ crons, timeZone: 'UTC' }, new Date('2026-01-05T09:29Z'))?.toISOString()).toBe(
    '2026-01-05T09:00:00.000Z',
  );
});

/** Lists the local times that occur for the first time in each minute. It shares no code with the rule under test. */
function clockWalk(timeZone: string, from: number, until: number): { at: number; fresh: Date[] }[] {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  const toLocal = (at: number): number => Date.parse(`${format.format(at).replace(' ', 'T')}Z`);
  let latest = toLocal(from - minuteMs);
  const minutes: { at: number; fresh: Date[] }[] = [];
  for (let at = from; at < until; at += minuteMs) {
    const fresh: Date[] = [];
    for (; latest < toLocal(at); latest += minuteMs) fresh.push(new Date(latest + minuteMs));
    minutes.push({ at, fresh });
  }
  return minutes;
}

function matches(cron: string, local: Date): boolean {
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = cron.split(' ');
  const either = day !== '*' && weekday !== '*';
  const [isMonthDay, isWeekday] = [isIn(day, local.getUTCDate()), isIn(weekday, local.getUTCDay())];
  const today = either ? isMonthDay || isWeekday : isMonthDay && isWeekday;
  return (
    isIn(minute, local.getUTCMinutes()) &&
    isIn(hour, local.getUTCHours()) &&
    isIn(month, local.getUTCMonth() + 1) &&
    today
  );
}

function isIn(field: string, value: number): boolean {
  return field.split(',').some((item) => {
    const [range = '', step = '1'] = item.split('/');
    const [low = 0, high = low] = range === '*' ? [0, 99] : range.split('-').map(Number);
    return value >= low && value <= high && (value - low) % Number(step) === 0;
  });
}

const minuteMs = 60_000;

describe.each([
  [newYork, '2026-03-07T00:00Z'],
  [newYork, '2026-10-31T00:00Z'],
  [cairo, '2026-04-22T12:00Z'],
  [cairo, '2026-10-28T12:00Z'],
  [lordHowe, '2026-10-02T12:00Z'],
  [lordHowe, '2026-04-03T12:00Z'],
  ['UTC', '2028-02-28T00:00Z'],
])('over three days of %s from %s', (timeZone, start) => {
  const from = Date.parse(start);
  const end = from + 3 * 24 * 60 * minuteMs;
  const walk = clockWalk(timeZone, from, end);

  it.each([
    '* * * * *',
    '*/7 * * * *',
    '30 * * * *',
    '*/15 0-3 * * *',
    '30 1,2 * * *',
    '0 0 * * *',
    '45 23 * * *',
    '59 1 * * 0',
    '10 2 1-7 * 5,0',
    '5-50/9 0,2,23 29,30 * 3,4',
  ])('%s is due when its local time first occurs', (cron) => {
    const expected = walk.filter(({ fresh }) => fresh.some((local) => matches(cron, local))).map(({ at }) => at);
    const schedule = { crons: [cron], timeZone };
    const found: number[] = [];
    for (
      let at = findNextDueTime(schedule, new Date(from - 1));
      at && at.getTime() < end;
      at = findNextDueTime(schedule, at)
    )
      found.push(at.getTime());
    expect(found).toEqual(expected);
    // The odd step checks instants that are not whole minutes, before, during and after the clock changes.
    for (let at = from; at < end; at += 41 * minuteMs + 3_217) {
      const last = findLastDueTime(schedule, new Date(at))?.getTime() ?? 0;
      expect(last < from ? undefined : last).toBe(expected.findLast((due) => due <= at));
    }
  });
});
