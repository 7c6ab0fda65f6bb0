import { expect, it } from 'vitest';
import { median } from '../../../src/rules/dora/median.ts';

it.each([
  [[], undefined],
  [[3], 3],
  [[9, 1, 4], 4],
  [[9, 1, 4, 2], 3],
  [[10, 9, 100, 2], 9.5],
])('of %j is %s', (values, expected) => {
  expect(median(values)).toBe(expected);
});
