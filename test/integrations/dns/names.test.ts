import { expect, it } from 'vitest';
import { isValidName, isWithin, normalizeName, parentName } from '../../../src/integrations/dns/names.ts';

it.each([
  ['www.shop.example', 'shop.example'],
  ['shop.example', 'example'],
  ['example', undefined],
])('names the parent of %s', (name, parent) => {
  expect(parentName(name)).toBe(parent);
});

it.each([
  ['shop.example', 'shop.example', true],
  ['www.shop.example', 'shop.example', true],
  ['www.shop.example', '', true],
  ['workshop.example', 'shop.example', false],
  ['example', 'shop.example', false],
])('knows whether %s is within %j: %s', (name, zone, expected) => {
  expect(isWithin(name, zone)).toBe(expected);
});

it.each(['Shop.Example', 'shop.example.', 'SHOP.EXAMPLE.'])('normalizes %s', (name) => {
  expect(normalizeName(name)).toBe('shop.example');
});

it.each(['', '.', 'test', '_service.shop.test', '*.shop.test', `${'a'.repeat(63)}.test`, `${'ab.'.repeat(83)}test`])(
  'finds that %j is a valid name',
  (name) => expect(isValidName(name)).toBe(true),
);

it.each([
  'a..test',
  '.test',
  'a b.test',
  'a\u0000.test',
  '\ufffd.test',
  `${'a'.repeat(64)}.test`,
  `${'ab.'.repeat(84)}test`,
])('finds that %j is no valid name', (name) => expect(isValidName(name)).toBe(false));
