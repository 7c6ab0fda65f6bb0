import { expect, it } from 'vitest';
import { trimSlashes } from '../../src/rules/trim-slashes.ts';

it.each([
  ['https://model.test', 'https://model.test'],
  ['https://model.test/v1//', 'https://model.test/v1'],
  ['/a/', '/a'],
  ['//', ''],
  ['', ''],
])('trims %j to %j', (text, trimmed) => expect(trimSlashes(text)).toBe(trimmed));
