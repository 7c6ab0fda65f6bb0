import { expect, it } from 'vitest';
import { countPeople, findRole } from '../../../../../../src/clients/ui/pages/settings/access/roles.ts';

const groups = [
  { name: 'team', role: 'member' as const, members: ['priya@example.com', 'Hanne@example.com'] },
  { name: 'readers', role: 'viewer' as const, members: ['hanne@example.com', 'lars@example.com'] },
  { name: 'crew', role: 'member' as const, members: ['hanne@example.com'] },
];

it('finds the highest role of a person with all groups that give it', () => {
  expect(findRole(groups, 'HANNE@example.com')).toEqual({ role: 'member', groups: ['team', 'crew'] });
  expect(findRole(groups, 'jonah@example.com')).toBeUndefined();
});

it('counts each person once, by the highest role', () => {
  expect(countPeople(groups)).toEqual({ viewer: 1, member: 2, 'org-admin': 0 });
});
