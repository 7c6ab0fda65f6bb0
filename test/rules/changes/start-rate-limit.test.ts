import { expect, it } from 'vitest';
import { remainingStarts } from '../../../src/rules/changes/start-rate-limit.ts';

const now = new Date('2026-01-01T12:00:00Z');
const minute = 60_000;
const ago = (minutes: number): string => new Date(now.getTime() - minutes * minute).toISOString();

it.each<[number[], number | undefined, number, number]>([
  [[], 2, 2, 0],
  [[10], 2, 1, 0],
  [[61, 60, 10], 2, 1, 0],
  [[50, 10], 2, 0, 10],
  [[10, 50, 55], 2, 0, 10],
  [[50, 40, 30], 1, 0, 30],
  [Array.from({ length: 19 }, () => 5), undefined, 1, 0],
  [Array.from({ length: 20 }, () => 5), undefined, 0, 55],
])(
  'after starts %j minutes ago with a limit of %s, %i starts remain and the next is possible in %i minutes',
  (minutes, limit, remaining, wait) => {
    expect(remainingStarts(minutes.map(ago), now, limit)).toMatchObject({ remaining, retryAfterMs: wait * minute });
  },
);
