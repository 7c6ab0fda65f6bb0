import { expect, it } from 'vitest';
import { listApprovers } from '../../../src/rules/access/list-approvers.ts';
import type { OrgRole } from '../../../src/rules/access/roles.ts';
import type { Organization } from '../../../src/rules/orgs/kinds.ts';

const person = (email: string, role: OrgRole) => ({ email, role, platformAdmin: false, reasons: [] });
const organization = (preventSelfApproval: boolean) =>
  ({ spec: { approvals: { preventSelfApproval } } }) as Organization;
const people = [
  person('eve@example.com', 'viewer'),
  person('kim@example.com', 'org-admin'),
  person('jo@example.com', 'member'),
  person('ada@example.com', 'org-admin'),
];
const contributors = { emails: ['jo@example.com'], logins: [], hasUnknownStarter: false, hasUnknownCommitter: false };

it.each([
  [
    'everybody with the role, in order',
    false,
    'member' as const,
    ['ada@example.com', 'jo@example.com', 'kim@example.com'],
  ],
  ['only others than the contributors', true, 'member' as const, ['ada@example.com', 'kim@example.com']],
  ['only people with the role', true, 'org-admin' as const, ['ada@example.com', 'kim@example.com']],
])('lists %s', (_what, preventSelfApproval, requiredRole, expected) => {
  expect(listApprovers(organization(preventSelfApproval), { people, contributors, requiredRole })).toEqual(expected);
});

it('lists no one when an unknown account started the work', () => {
  const unknown = { ...contributors, hasUnknownStarter: true };
  expect(listApprovers(organization(true), { people, contributors: unknown, requiredRole: 'member' })).toEqual([]);
});
