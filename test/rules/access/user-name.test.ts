import { expect, it } from 'vitest';
import { userName } from '../../../src/rules/access/user-name.ts';

it('derives the same name from every spelling of an address', () => {
  expect(userName('Ada@Example.com')).toBe(userName('ada@example.com'));
  expect(userName('ada@example.com')).toMatch(/^user-[0-9a-f]{20}$/);
  expect(userName('bob@example.com')).not.toBe(userName('ada@example.com'));
});
