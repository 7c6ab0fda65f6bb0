import { expect, it } from 'vitest';
import { hostName, overlaps } from '../../../src/rules/domains/host-name.ts';

it.each([
  ['example.com', 'example.com'],
  ['  Example.COM. ', 'example.com'],
  ['MÜNCHEN.de', 'xn--mnchen-3ya.de'],
  ['例え.テスト', 'xn--r8jz45g.xn--zckzah'],
  ['xn--mnchen-3ya.de', 'xn--mnchen-3ya.de'],
  ['a-b.1.example.com', 'a-b.1.example.com'],
])('"%s" is %s', (given, name) => expect(hostName(given)).toBe(name));

it.each([
  '',
  'localhost',
  'https://example.com',
  'example.com:443',
  'example.com/path',
  'user@example.com',
  '192.0.2.1',
  '0x7f.1',
  '[::1]',
  '*.example.com',
  '_dmarc.example.com',
  '-a.example.com',
  'a-.example.com',
  'a..example.com',
  '.example.com',
  'ex ample.com',
  'example%2ecom',
  `${'a'.repeat(64)}.com`,
  `${'a.'.repeat(120)}com`,
])('"%s" is no host name', (given) => expect(hostName(given)).toBeUndefined());

it.each([
  ['example.com', 'example.com', true],
  ['a.example.com', 'example.com', true],
  ['example.com', 'a.b.example.com', true],
  ['anexample.com', 'example.com', false],
  ['a.example.com', 'b.example.com', false],
])('%s and %s: %s', (one, other, expected) => expect(overlaps(one, other)).toBe(expected));
