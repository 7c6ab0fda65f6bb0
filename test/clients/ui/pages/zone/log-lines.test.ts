import { describe, expect, it } from 'vitest';
import {
  countMatches,
  detectLevel,
  formatLines,
  mergeLines,
  splitMatches,
} from '../../../../../src/clients/ui/pages/zone/log-lines.ts';

const at = (second: number): string => `2026-11-19T14:32:0${second}.000Z`;

it('merges the lines of all pods by time, and names lines of the same time apart', () => {
  const lines = mergeLines([
    {
      name: 'a',
      lines: [
        { at: at(1), text: 'one' },
        { at: at(3), text: 'three' },
        { at: at(3), text: 'again' },
      ],
    },
    { name: 'b', lines: [{ at: '2026-11-19T14:32:02Z', text: 'two' }] },
  ]);
  expect(lines.map(({ text }) => text)).toEqual(['one', 'two', 'three', 'again']);
  expect(new Set(lines.map(({ id }) => id)).size).toBe(4);
  expect(formatLines(lines)).toContain(`${at(1)} a one\n`);
});

describe('the level of a line', () => {
  it.each([
    ['ERROR refund refused', 'error'],
    ['2026-11-19 [WARN] slow', 'warn'],
    ['{"level":50,"msg":"refused"}', 'error'],
    ['{"level":"warning","msg":"slow"}', 'warn'],
    ['level=info msg="no error"', undefined],
    ['GET /errors 200', undefined],
    ['0 errors, 0 warnings', undefined],
  ] as const)('%s', (text, level) => {
    expect(detectLevel(text)).toBe(level);
  });
});

it('counts matches beyond the lines that are shown, and tells whether the whole logs were searched', () => {
  const pod = (count: number, complete: boolean) => ({ name: 'a', lines: [], matches: { count, complete } });
  expect(countMatches([pod(1200, true), pod(3, false)])).toEqual({ count: 1203, isComplete: false });
  expect(countMatches([{ name: 'a', lines: [] }])).toBeUndefined();
});

it('splits a text so that every second part is a match', () => {
  expect(splitMatches('a hold, a hold', 'hold')).toEqual(['a ', 'hold', ', a ', 'hold', '']);
  expect(splitMatches('a.b', '.')).toEqual(['a', '.', 'b']);
  expect(splitMatches('text', undefined)).toEqual(['text']);
});
