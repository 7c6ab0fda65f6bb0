import { expect, it } from 'vitest';
import { resolveRoleMax } from '../../../src/rules/access/token-role.ts';

it.each([
  [undefined, undefined, undefined],
  ['viewer', undefined, 'viewer'],
  [undefined, 'member', 'member'],
  ['viewer', 'member', 'viewer'],
  ['member', 'member', 'member'],
] as const)('a token for %s that a token for %s creates is for %s', (requested, parentMax, roleMax) => {
  expect(resolveRoleMax(requested, parentMax)).toBe(roleMax);
});

it('is never above that of the token that creates it', () => {
  expect(() => resolveRoleMax('org-admin', 'member')).toThrow(
    'it must not be above "member", the highest role of the token that creates it',
  );
});
