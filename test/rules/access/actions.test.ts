import { expect, it } from 'vitest';
import { actionsFor, roleViolation } from '../../../src/rules/access/actions.ts';
import type { OrgRole } from '../../../src/rules/access/roles.ts';

it.each<[OrgRole | undefined, OrgRole, boolean]>([
  [undefined, 'viewer', false],
  ['viewer', 'viewer', true],
  ['viewer', 'member', false],
  ['org-admin', 'member', true],
])('%s may call an operation that requires %s: %s', (held, needed, isAllowed) => {
  expect(roleViolation(held, needed) === undefined).toBe(isAllowed);
  expect(actionsFor(held, [{ name: 'x', requiredRole: needed }])[0]?.allowed).toBe(isAllowed);
});

it('names the role that is missing and the one that the caller has', () => {
  expect(roleViolation('viewer', 'member')).toContain('requires the role "member" or higher; your role is "viewer"');
  expect(roleViolation(undefined, 'member')).toContain('you have no role in this org');
});

it('does not allow an operation that the state of the resource forbids', () => {
  const rule = { name: 'cancelRun', requiredRole: 'member', blockedBy: 'The run has finished.' } as const;
  expect(actionsFor('org-admin', [rule])).toEqual([
    { name: 'cancelRun', allowed: false, reason: 'state-conflict', message: 'The run has finished.' },
  ]);
});

it('does not allow an approval of the caller’s own work, unless the role or the state forbids it already', () => {
  const rule = { name: 'approveStep', requiredRole: 'member', selfApproval: 'You started it.' } as const;
  expect(actionsFor('member', [rule, { ...rule, blockedBy: 'It has finished.' }])).toMatchObject([
    { allowed: false, reason: 'self-approval', message: 'You started it.' },
    { allowed: false, reason: 'state-conflict' },
  ]);
  expect(actionsFor('viewer', [rule])).toMatchObject([{ reason: 'role-insufficient' }]);
});

it('keeps the step or zone of an operation, without a reason when it is allowed', () => {
  expect(actionsFor('member', [{ name: 'approveStep', requiredRole: 'member', step: 's' }])).toStrictEqual([
    { name: 'approveStep', step: 's', allowed: true },
  ]);
});
