import { expect, it } from 'vitest';
import { isWithin, normalizeName, parentName } from '../../../src/integrations/dns/names.ts';

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
