import { expect, it } from 'vitest';
import { isPast } from '../../src/rules/expiry.ts';

it('calls a time past from that time on, and no time never', () => {
  const now = new Date('2027-01-01T00:00:00Z');
  expect(['2027-01-01T00:00:00Z', '2027-01-01T00:00:01Z', undefined].map((time) => isPast(time, now))).toEqual([
    true,
    false,
    false,
  ]);
});
