import { expect, it } from 'vitest';
import { type AccessGroup, AccessGroupKind } from '../../../src/rules/access/kinds.ts';
import { findOrgRole, isInGroup, resolveOrgRoles, type Person } from '../../../src/rules/access/org-roles.ts';
import type { OrgRole } from '../../../src/rules/access/roles.ts';
import { buildResource } from '../build-resource.ts';

const group = (role: OrgRole, ...members: string[]) =>
  buildResource(AccessGroupKind, { spec: { name: role, role, members } });

const findRole = (person: Person, groups: AccessGroup[]) => findOrgRole(resolveOrgRoles(groups), person);

it('returns the highest role of all groups, regardless of the case of the address', () => {
  const groups = [
    group('viewer', 'jo@example.com'),
    group('member', 'JO@example.com'),
    group('org-admin', 'kim@example.com'),
  ];
  expect(findRole({ email: 'Jo@Example.com' }, groups)).toBe('member');
});

it('returns undefined for a person without a group', () => {
  expect(findRole({ email: 'unknown@example.com' }, [group('viewer', 'jo@example.com')])).toBeUndefined();
  expect(findRole({ email: 'jo@example.com' }, [])).toBeUndefined();
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
  for (const [email, role] of roles) {
    expect(findOrgRole(roles, { email: email.toUpperCase() })).toBe(role);
  }
});

it('finds a person among the other members of a group, regardless of the case of the address', () => {
  const team = group('viewer', 'jo@example.com', 'Kim@example.com');
  expect([isInGroup(team, { email: 'kim@example.com' }), isInGroup(team, { email: 'lee@example.com' })]).toEqual([
    true,
    false,
  ]);
});

it('gives the people of a provider group its role, and only those of that provider', () => {
  const groups = [
    group('viewer', 'jo@example.com'),
    buildResource(AccessGroupKind, {
      spec: {
        name: 'developers',
        role: 'member',
        members: [],
        providerGroups: [{ provider: 'sso', group: 'Team Développement' }],
      },
    }),
  ];
  const roleWith = (provider: string, name: string) => {
    const person = { email: 'jo@example.com', providerGroups: [{ provider, group: name }] };
    return findRole(person, groups);
  };
  expect(roleWith('sso', 'Team Développement')).toBe('member');
  expect(roleWith('sso', 'team développement')).toBe('viewer');
  expect(roleWith('other', 'Team Développement')).toBe('viewer');
});

it('takes no group for the address of a person', () => {
  const groups = [group('org-admin', 'kim@example.com')];
  const person = { email: 'jo@example.com', providerGroups: [{ provider: 'sso', group: 'kim@example.com' }] };
  expect(findRole(person, groups)).toBeUndefined();
});
