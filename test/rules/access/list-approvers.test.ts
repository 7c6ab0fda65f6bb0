import { expect, it } from 'vitest';
import type { AccessGroup } from '../../../src/rules/access/kinds.ts';
import { listApprovers } from '../../../src/rules/access/list-approvers.ts';
import type { OrgRole } from '../../../src/rules/access/roles.ts';
import type { Organization } from '../../../src/rules/orgs/kinds.ts';

const group = (role: OrgRole, members: string[]) => ({ spec: { name: role, role, members } }) as AccessGroup;
const organization = (preventSelfApproval: boolean) =>
  ({ spec: { approvals: { preventSelfApproval } } }) as Organization;
const groups = [
  group('viewer', ['eve@example.com']),
  group('member', ['Jo@example.com', 'ada@example.com']),
  group('org-admin', ['kim@example.com', 'ada@example.com']),
];
const contributors = { emails: ['jo@example.com'], logins: [], hasUnknownStarter: false, hasUnknownCommitter: false };

it.each([
  ['everybody with the role, once', false, 'member' as const, ['ada@example.com', 'jo@example.com', 'kim@example.com']],
  ['only others than the contributors', true, 'member' as const, ['ada@example.com', 'kim@example.com']],
  ['only people with the role', true, 'org-admin' as const, ['ada@example.com', 'kim@example.com']],
])('lists %s', (_what, preventSelfApproval, requiredRole, expected) => {
  expect(listApprovers(organization(preventSelfApproval), { groups, contributors, requiredRole })).toEqual(expected);
});

it('lists no one when an unknown account started the work', () => {
  const unknown = { ...contributors, hasUnknownStarter: true };
  expect(listApprovers(organization(true), { groups, contributors: unknown, requiredRole: 'member' })).toEqual([]);
});
