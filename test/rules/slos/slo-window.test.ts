import { expect, it } from 'vitest';
import { describeWindow, getSloWindow, toWindowSeconds } from '../../../src/rules/slos/slo-window.ts';

it.each([
  ['90m', 5_400, '90 minutes'],
  ['1h', 3_600, '1 hour'],
  ['168h', 604_800, '7 days'],
  ['100h', 360_000, '100 hours'],
  ['1d', 86_400, '1 day'],
  ['2w', 1_209_600, '14 days'],
])('reads %s as %i seconds and describes it as %s', (window, seconds, words) => {
  expect(toWindowSeconds(window)).toBe(seconds);
  expect(describeWindow(window)).toBe(words);
});

it.each([
  ['7d', 14 * 86_400_000, '7d'],
  [undefined, 14 * 86_400_000, '14d'],
  [undefined, 36 * 3_600_000, '36h'],
])('uses the window %s with metrics of %i ms as %s', (window, retentionMs, expected) =>
  expect(getSloWindow({ window }, retentionMs)).toBe(expected),
);
