import { describe, expect, it } from 'vitest';
import { isTimeZone, toCanonicalTimeZone, toInstant, toLocalTime } from '../../../src/rules/scheduling/time-zone.ts';

const newYork = 'America/New_York';

describe('toLocalTime', () => {
  it.each([
    [newYork, '2026-01-01T12:00Z', '2026-01-01T07:00Z'],
    [newYork, '2026-07-01T12:00Z', '2026-07-01T08:00Z'],
    ['Asia/Kathmandu', '2026-01-01T12:00Z', '2026-01-01T17:45Z'],
    ['UTC', '2026-01-01T12:00Z', '2026-01-01T12:00Z'],
  ])('in %s, converts %s to %s', (timeZone, instant, local) => {
    expect(toLocalTime(timeZone, Date.parse(instant))).toBe(Date.parse(local));
  });
});

describe('toInstant', () => {
  it.each([
    ['a normal local time', '2026-01-01T07:00Z', '2026-01-01T12:00Z'],
    ['the first of two occurrences', '2026-11-01T01:30Z', '2026-11-01T05:30Z'],
    ['the end of the gap for a skipped local time', '2026-03-08T02:30Z', '2026-03-08T07:00Z'],
  ])('returns %s', (_, local, instant) => {
    expect(toInstant(newYork, Date.parse(local))).toBe(Date.parse(instant));
  });
});

it.each([
  ['Europe/Berlin', true],
  ['UTC', true],
  ['+05:30', false],
  ['Mars/Base', false],
  ['SystemV/AST4', false],
  ['', false],
])('"%s" is an IANA time zone: %s', (name, expected) => {
  expect(isTimeZone(name)).toBe(expected);
});

it.each([
  ['europe/berlin', 'Europe/Berlin'],
  ['PST', 'America/Los_Angeles'],
  ['utc', 'UTC'],
])('"%s" is a name of %s', (name, expected) => {
  expect(toCanonicalTimeZone(name)).toBe(expected);
});
