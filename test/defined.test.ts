import { expect, expectTypeOf, it } from 'vitest';
import { defined } from '../src/defined.ts';

it('drops the properties that are undefined', () => {
  expect(Object.keys(defined({ name: 'a', url: undefined, port: undefined }))).toEqual(['name']);
});

it('keeps every other value, falsy ones too', () => {
  const object = { zero: 0, empty: '', no: false, nothing: null, list: [] };
  expect(defined(object)).toEqual(object);
});

it('does not change its argument', () => {
  const object = { name: 'a', url: undefined };
  defined(object);
  expect(Object.keys(object)).toEqual(['name', 'url']);
});

it('makes the properties that may be undefined optional, without undefined in their type', () => {
  const url = 'http://x' as string | undefined;
  const result: { name: string; url?: string } = defined({ name: 'a', url });
  expect(result).toEqual({ name: 'a', url: 'http://x' });
  expectTypeOf(defined({ name: 'a' })).toExtend<{ name: string }>();
});
