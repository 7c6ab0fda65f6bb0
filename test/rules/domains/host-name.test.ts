import { expect, it } from 'vitest';
import { parseHostName, hostsOverlap } from '../../../src/rules/domains/host-name.ts';

it.each([
  ['example.com', 'example.com'],
  ['  Example.COM. ', 'example.com'],
  ['MÜNCHEN.de', 'xn--mnchen-3ya.de'],
  ['例え.テスト', 'xn--r8jz45g.xn--zckzah'],
  ['xn--mnchen-3ya.de', 'xn--mnchen-3ya.de'],
  ['a-b.1.example.com', 'a-b.1.example.com'],
])('normalizes "%s" to %s', (given, name) => expect(parseHostName(given)).toBe(name));

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
])('"%s" is not a host name', (given) => expect(parseHostName(given)).toBeUndefined());

it.each([
  ['example.com', 'example.com', true],
  ['a.example.com', 'example.com', true],
  ['example.com', 'a.b.example.com', true],
  ['anexample.com', 'example.com', false],
  ['a.example.com', 'b.example.com', false],
])('%s and %s overlap: %s', (one, other, expected) => expect(hostsOverlap(one, other)).toBe(expected));
