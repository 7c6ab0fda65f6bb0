import { describe, expect, it } from 'vitest';
import { flatten, isSecretName, shorten, toShownText } from '../../../src/rules/audit/flatten.ts';

const listFields = (value: unknown) => flatten(value, 'spec').map((leaf) => [leaf.field, leaf.value]);

describe('flatten', () => {
  it.each([
    [
      'scalars',
      { a: 1, b: null, c: false },
      [
        ['spec.a', 1],
        ['spec.b', null],
        ['spec.c', false],
      ],
    ],
    ['nested objects', { a: { b: 'x' } }, [['spec.a.b', 'x']]],
    [
      'items by name',
      { a: [{ name: 'one', x: 1 }] },
      [
        ['spec.a[one].name', 'one'],
        ['spec.a[one].x', 1],
      ],
    ],
    [
      'items by index',
      { a: [{ x: 1 }, { x: 2 }] },
      [
        ['spec.a[0].x', 1],
        ['spec.a[1].x', 2],
      ],
    ],
    [
      'items of one name by index',
      { a: [{ name: 'x' }, { name: 'x' }] },
      [
        ['spec.a[0].name', 'x'],
        ['spec.a[1].name', 'x'],
      ],
    ],
    [
      'a set by value',
      { a: ['x', 'y'] },
      [
        ['spec.a[x]', 'x'],
        ['spec.a[y]', 'y'],
      ],
    ],
    [
      'repeated values by index',
      { a: ['x', 'x'] },
      [
        ['spec.a[0]', 'x'],
        ['spec.a[1]', 'x'],
      ],
    ],
    [
      'empty lists and objects',
      { a: [], b: {} },
      [
        ['spec.a', '[]'],
        ['spec.b', '{}'],
      ],
    ],
    ['nothing', undefined, []],
  ])('lists %s', (_, value, expected) => {
    expect(listFields(value)).toEqual(expected);
  });
});

it('isSecretName knows names of secrets', () => {
  for (const name of ['password', 'newPassword', 'clientSecret', 'token', 'privateKey', 'key', 'credentials'])
    expect(isSecretName(name)).toBe(true);
  for (const name of ['name', 'headSha', 'expiresAt', 'tokenExpiresAt', 'secretName', 'keyboard', 'repos'])
    expect(isSecretName(name)).toBe(false);
});

it('shorten keeps a text that fits', () => {
  expect([shorten('abc', 3), shorten('abcd', 3)]).toEqual(['abc', 'abc… (4 characters)']);
});

it('toShownText hides what people wrote', () => {
  expect([toShownText('comment', 'abc'), toShownText('reason', 'abc')]).toEqual(['3 characters', 'abc']);
});
