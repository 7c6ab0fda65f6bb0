import { expect, it } from 'vitest';
import { AccessGroupKind } from '../../../src/rules/access/kinds.ts';
import { isInGroup, resolveOrgRole, resolveOrgRoles } from '../../../src/rules/access/resolve-org-role.ts';
import type { OrgRole } from '../../../src/rules/access/roles.ts';
import { buildResource } from '../build-resource.ts';

const group = (role: OrgRole, ...members: string[]) =>
  buildResource(AccessGroupKind, { spec: { name: role, role, members } });

it('returns the highest role of all groups, regardless of the case of the address', () => {
  const groups = [
    group('viewer', 'jo@example.com'),
    group('member', 'JO@example.com'),
    group('org-admin', 'kim@example.com'),
  ];
  expect(resolveOrgRole('Jo@Example.com', groups)).toBe('member');
});

it('returns undefined for a person without a group', () => {
  expect(resolveOrgRole('unknown@example.com', [group('viewer', 'jo@example.com')])).toBeUndefined();
  expect(resolveOrgRole('jo@example.com', [])).toBeUndefined();
});

it('returns the same roles for all members at once', () => {
  const groups = [
    group('org-admin', 'kim@example.com'),
    group('viewer', 'jo@example.com', 'KIM@example.com'),
    group('member', 'JO@example.com'),
  ];
  const roles = resolveOrgRoles(groups);
  expect([...roles]).toEqual([
    ['kim@example.com', 'org-admin'],
    ['jo@example.com', 'member'],
  ]);
  for (const [email, role] of roles) expect(resolveOrgRole(email, groups)).toBe(role);
});

it('finds a person among the other members of a group, regardless of the case of the address', () => {
  const team = group('viewer', 'jo@example.com', 'Kim@example.com');
  expect([isInGroup(team, 'kim@example.com'), isInGroup(team, 'lee@example.com')]).toEqual([true, false]);
});
