import { expect, it } from 'vitest';
import { mergeRetryDelayMs } from '../../../src/rules/changes/merge-wait.ts';

it.each([
  [0, 1_000],
  [10_000, 1_000],
  [60_000, 6_000],
  [20 * 60_000, 120_000],
  [24 * 3_600_000, 120_000],
])('tries a merge that has waited %i ms again after %i ms', (waitedMs, delayMs) => {
  expect(mergeRetryDelayMs(waitedMs)).toBe(delayMs);
});
