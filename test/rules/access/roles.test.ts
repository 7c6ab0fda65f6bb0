import { expect, it } from 'vitest';
import { isRoleAtLeast, orgRoles } from '../../../src/rules/access/roles.ts';

it.each([
  ['viewer', ['viewer']],
  ['member', ['viewer', 'member']],
  ['org-admin', ['viewer', 'member', 'org-admin']],
] as const)('%s includes the permissions of %j', (role, included) => {
  expect(orgRoles.filter((needed) => isRoleAtLeast(role, needed))).toEqual(included);
});

it('a person without a role has no permissions', () => {
  expect(orgRoles.filter((needed) => isRoleAtLeast(undefined, needed))).toEqual([]);
});
