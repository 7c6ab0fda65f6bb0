import type { Organization } from '../orgs/kinds.ts';
import type { Contributors } from './contributors.ts';
import type { AccessGroup } from './kinds.ts';
import { isRoleAtLeast, type OrgRole } from './roles.ts';
import { selfApprovalViolation } from './self-approval-violation.ts';

/** Lists the members of an org's access groups who may approve the work of these contributors, by e-mail address. */
export function listApprovers(
  organization: Organization,
  {
    groups,
    contributors,
    requiredRole,
  }: { groups: readonly AccessGroup[]; contributors: Contributors; requiredRole: OrgRole },
): string[] {
  const members = groups
    .filter(({ spec }) => isRoleAtLeast(spec.role, requiredRole))
    .flatMap(({ spec }) => spec.members.map((email) => email.toLowerCase()));
  return [...new Set(members)]
    .filter((email) => selfApprovalViolation(organization, contributors, email) === undefined)
    .toSorted();
}
