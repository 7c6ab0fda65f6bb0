import type { Organization } from '../orgs/kinds.ts';
import type { Contributors } from './contributors.ts';
import type { OrgPerson } from './list-org-people.ts';
import { isRoleAtLeast, type OrgRole } from './roles.ts';
import { selfApprovalViolation } from './self-approval-violation.ts';

/** Lists the people of an org who may approve the work of these contributors, by e-mail address. */
export function listApprovers(
  organization: Organization,
  {
    people,
    contributors,
    requiredRole,
  }: { people: readonly OrgPerson[]; contributors: Contributors; requiredRole: OrgRole },
): string[] {
  return people
    .filter(({ role }) => isRoleAtLeast(role, requiredRole))
    .map(({ email }) => email)
    .filter((email) => selfApprovalViolation(organization, contributors, email) === undefined)
    .toSorted();
}
