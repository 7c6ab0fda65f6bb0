import { expect, it } from 'vitest';
import { isRoleAtLeast, limitRole, mayAdminister, orgRoles } from '../../../src/rules/access/roles.ts';

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

it.each([
  ['org-admin', 'member', 'member'],
  ['viewer', 'member', 'viewer'],
  ['member', undefined, 'member'],
  [undefined, 'member', undefined],
] as const)('the role %s with a token for at most %s is %s', (role, roleMax, limited) => {
  expect(limitRole(role, roleMax)).toBe(limited);
});

it('no limited token administers the installation', () => {
  const admin = { user: 'root', email: 'root@example.com', platformAdmin: true, via: 'token' } as const;
  expect(mayAdminister(admin)).toBe(true);
  expect(mayAdminister({ ...admin, roleMax: 'org-admin' })).toBe(false);
  expect(mayAdminister({ ...admin, platformAdmin: false })).toBe(false);
});
