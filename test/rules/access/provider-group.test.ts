import { expect, it } from 'vitest';
import { toGroupKey } from '../../../src/rules/access/provider-group.ts';

it('tells groups of one name at two providers apart, and a group from an address', () => {
  const keys = [
    toGroupKey({ provider: 'sso', group: 'ada@example.com' }),
    toGroupKey({ provider: 'other', group: 'ada@example.com' }),
    toGroupKey({ provider: 'sso', group: 'other ada@example.com' }),
    'ada@example.com',
  ];
  expect(new Set(keys).size).toBe(keys.length);
});
