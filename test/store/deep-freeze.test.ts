import { expect, it } from 'vitest';
import { deepFreeze } from '../../src/store/deep-freeze.ts';

it('freezes a value with everything in it, and returns it', () => {
  const value = { list: [{ a: 1 }], none: null, text: 'x' };
  expect(deepFreeze(value)).toBe(value);
  for (const part of [value, value.list, value.list[0]]) expect(Object.isFrozen(part)).toBe(true);
  expect(() => (value.list[0] = { a: 2 })).toThrow(TypeError);
});

it.each([undefined, null, 7, 'text'])('returns %j as it is', (value) => {
  expect(deepFreeze(value)).toBe(value);
});
