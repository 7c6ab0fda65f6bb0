import { expect, it } from 'vitest';
import { selfApprovalViolation } from '../../../src/rules/access/self-approval-violation.ts';
import { OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import { buildResource } from '../build-resource.ts';

const org = (preventSelfApproval?: boolean) => {
  const spec = { codehostAccount: 'acme', gitopsRepo: 'acme/gitops' };
  const approvals = preventSelfApproval === undefined ? {} : { approvals: { preventSelfApproval } };
  return buildResource(OrganizationKind, { spec: { ...spec, ...approvals } });
};

it.each([
  ['without a rule', undefined, 'jo@x.org', true],
  ['with self-approval allowed', false, 'jo@x.org', true],
  ['with another approver', true, 'kim@x.org', true],
  ['with the same person', true, 'jo@x.org', false],
  ['with the same person in another case', true, 'JO@x.org', false],
])('%s, decides whether a person may approve', (_, preventSelfApproval, approver, isAllowed) => {
  expect(selfApprovalViolation(org(preventSelfApproval), 'jo@x.org', approver) === undefined).toBe(isAllowed);
});
