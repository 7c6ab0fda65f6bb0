import { describe, expect, it } from 'vitest';
import { lastDue, nextDue } from '../../../src/rules/scheduling/due-times.ts';

const newYork = 'America/New_York';
const cairo = 'Africa/Cairo';
const lordHowe = 'Australia/Lord_Howe';

/** The next times after a moment, as `MM-DDTHH:MM` of UTC. */
function upcoming(cron: string | string[], timeZone: string, { from, count = 3 }: { from: string; count?: number }) {
  const schedule = { crons: [cron].flat(), timeZone };
  const times: Date[] = [];
  for (let at = nextDue(schedule, new Date(from)); at && times.length < count; at = nextDue(schedule, at))
    times.push(at);
  return times.map((at) => at.toISOString().slice(5, 16)).join(' ');
}

describe('clocks put forward', () => {
  it.each([
    [
      'New York skips 02:00 to 03:00',
      '30 2 * * *',
      newYork,
      '2026-03-07T12:00Z',
      '03-08T07:00 03-09T06:30 03-10T06:30',
    ],
    ['not what is before the gap', '59 1 * * *', newYork, '2026-03-07T12:00Z', '03-08T06:59 03-09T05:59 03-10T05:59'],
    ['nor what is at its end', '0 3 * * *', newYork, '2026-03-07T12:00Z', '03-08T07:00 03-09T07:00 03-10T07:00'],
    ['several in the gap are one', '*/15 2 * * *', newYork, '2026-03-08T05:00Z', '03-08T07:00 03-09T06:00 03-09T06:15'],
    ['with what is due at its end', '0 2,3 * * *', newYork, '2026-03-08T05:00Z', '03-08T07:00 03-09T06:00 03-09T07:00'],
    [
      'every half hour misses none',
      '*/30 * * * *',
      newYork,
      '2026-03-08T06:00Z',
      '03-08T06:30 03-08T07:00 03-08T07:30',
    ],
    ['Cairo skips midnight', '0 0 * * *', cairo, '2026-04-22T22:00Z', '04-23T22:00 04-24T21:00 04-25T21:00'],
    [
      'Cairo’s skipped midnight is of Friday',
      '0 0 * * FRI',
      cairo,
      '2026-04-22T22:00Z',
      '04-23T22:00 04-30T21:00 05-07T21:00',
    ],
    ['and of the 24th', '15 0 24 * *', cairo, '2026-04-01T00:00Z', '04-23T22:00 05-23T21:15 06-23T21:15'],
    [
      'Lord Howe skips 02:00 to 02:30',
      '15 2 * * *',
      lordHowe,
      '2026-10-02T16:00Z',
      '10-03T15:30 10-04T15:15 10-05T15:15',
    ],
    ['and not 02:45', '45 2 * * *', lordHowe, '2026-10-02T16:30Z', '10-03T15:45 10-04T15:45 10-05T15:45'],
  ])('%s', (_, cron, zone, from, expected) => expect(upcoming(cron, zone, { from })).toBe(expected));
});

describe('clocks put back', () => {
  it.each([
    ['New York shows 01:30 twice', '30 1 * * *', newYork, '2026-10-31T12:00Z', '11-01T05:30 11-02T06:30 11-03T06:30'],
    ['every half hour too', '*/30 * * * *', newYork, '2026-11-01T05:00Z', '11-01T05:30 11-01T07:00 11-01T07:30'],
    [
      'also asked in the hour shown again',
      '*/30 * * * *',
      newYork,
      '2026-11-01T06:10Z',
      '11-01T07:00 11-01T07:30 11-01T08:00',
    ],
    ['Cairo shows 23:30 twice', '30 23 * * *', cairo, '2026-10-28T22:00Z', '10-29T20:30 10-30T21:30 10-31T21:30'],
    ['Lord Howe shows 01:45 twice', '45 1 * * *', lordHowe, '2026-04-03T16:00Z', '04-04T14:45 04-05T15:15 04-06T15:15'],
    ['and 01:15 once', '15 1 * * *', lordHowe, '2026-04-03T16:00Z', '04-04T14:15 04-05T14:45 04-06T14:45'],
  ])('%s', (_, cron, zone, from, expected) => expect(upcoming(cron, zone, { from })).toBe(expected));
});

describe('days', () => {
  it.each([
    ['of month or of week: either', '0 9 13 * FRI', '2026-01-01T00:00Z', '01-02T09:00 01-09T09:00 01-13T09:00'],
    ['in steps or of week: either', '0 9 */15 * MON', '2026-01-01T10:00Z', '01-05T09:00 01-12T09:00 01-16T09:00'],
    ['of week alone', '0 9 * * 1-5', '2026-01-02T10:00Z', '01-05T09:00 01-06T09:00 01-07T09:00'],
    ['Sunday is 0 and 7', '0 9 * * 7', '2026-01-02T10:00Z', '01-04T09:00 01-11T09:00 01-18T09:00'],
    ['the 31st', '0 0 31 * *', '2026-02-01T00:00Z', '03-31T00:00 05-31T00:00 07-31T00:00'],
    [
      'a day that a month has not, or a weekday',
      '0 0 30 2 1',
      '2026-02-10T00:00Z',
      '02-16T00:00 02-23T00:00 02-01T00:00',
    ],
  ])('%s', (_, cron, from, expected) => expect(upcoming(cron, 'UTC', { from })).toBe(expected));

  it('29 February is every four years, but for 2100', () => {
    const schedule = { crons: ['0 12 29 2 *'], timeZone: 'UTC' };
    expect(nextDue(schedule, new Date('2026-11-21T00:00Z'))?.toISOString()).toBe('2028-02-29T12:00:00.000Z');
    expect(nextDue(schedule, new Date('2096-03-01T00:00Z'))?.toISOString()).toBe('2104-02-29T12:00:00.000Z');
    expect(lastDue(schedule, new Date('2026-11-21T00:00Z'))?.toISOString()).toBe('2024-02-29T12:00:00.000Z');
  });

  it('a day that a zone never had comes due at the end of it', () =>
    expect(upcoming('0 12 30 * *', 'Pacific/Apia', { from: '2011-12-01T00:00Z', count: 2 })).toBe(
      '12-30T10:00 01-29T22:00',
    ));
});

it('of several schedules each counts', () => {
  const crons = ['0 9 * * *', '30 9 * * *', '0 9 * * MON'];
  expect(upcoming(crons, 'UTC', { from: '2026-01-05T00:00Z' })).toBe('01-05T09:00 01-05T09:30 01-06T09:00');
  expect(lastDue({ crons, timeZone: 'UTC' }, new Date('2026-01-05T09:29Z'))?.toISOString()).toBe(
    '2026-01-05T09:00:00.000Z',
  );
});

/** Minute by minute, what a zone's clock comes to show that it has not shown before: an oracle that shares no code. */
function clockWalk(timeZone: string, from: number, until: number): { at: number; fresh: Date[] }[] {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  const shows = (at: number): number => Date.parse(`${format.format(at).replace(' ', 'T')}Z`);
  let shownTo = shows(from - minuteMs);
  const minutes: { at: number; fresh: Date[] }[] = [];
  for (let at = from; at < until; at += minuteMs) {
    const fresh: Date[] = [];
    for (; shownTo < shows(at); shownTo += minuteMs) fresh.push(new Date(shownTo + minuteMs));
    minutes.push({ at, fresh });
  }
  return minutes;
}

function names(cron: string, wall: Date): boolean {
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = cron.split(' ');
  const either = day !== '*' && weekday !== '*';
  const [ofMonth, ofWeek] = [isIn(day, wall.getUTCDate()), isIn(weekday, wall.getUTCDay())];
  const today = either ? ofMonth || ofWeek : ofMonth && ofWeek;
  return (
    isIn(minute, wall.getUTCMinutes()) && isIn(hour, wall.getUTCHours()) && isIn(month, wall.getUTCMonth() + 1) && today
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
  ])('%s is due when the clock comes to show it', (cron) => {
    const expected = walk.filter(({ fresh }) => fresh.some((wall) => names(cron, wall))).map(({ at }) => at);
    const schedule = { crons: [cron], timeZone };
    const found: number[] = [];
    for (let at = nextDue(schedule, new Date(from - 1)); at && at.getTime() < end; at = nextDue(schedule, at))
      found.push(at.getTime());
    expect(found).toEqual(expected);
    // At moments of no roundness, in and around the changes too.
    for (let at = from; at < end; at += 41 * minuteMs + 3_217) {
      const last = lastDue(schedule, new Date(at))?.getTime() ?? 0;
      expect(last < from ? undefined : last).toBe(expected.findLast((due) => due <= at));
    }
  });
});
