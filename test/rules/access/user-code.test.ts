import { expect, it } from 'vitest';
import { createUserCode, parseUserCode } from '../../../src/rules/access/user-code.ts';

it('has eight letters in two groups, each drawn from all', () => {
  const maxima: number[] = [];
  const code = createUserCode((exclusiveMax) => (maxima.push(exclusiveMax), maxima.length - 1));
  expect(code).toBe('BCDF-GHJK');
  expect(maxima).toEqual(Array.from({ length: 8 }, () => 20));
  expect(createUserCode((exclusiveMax) => exclusiveMax - 1)).toBe('ZZZZ-ZZZZ');
});

it.each(['WDJB-MJHT', 'wdjbmjht', ' wdjb mjht ', 'WDJB–MJHT'])('is understood as %s', (typed) => {
  expect(parseUserCode(typed)).toBe('WDJB-MJHT');
});

it.each(['', 'WDJB-MJH', 'WDJB-MJHTT', 'WDJB-MJHA', 'WDJB-1234'])('cannot be "%s"', (typed) => {
  expect(parseUserCode(typed)).toBeUndefined();
});
