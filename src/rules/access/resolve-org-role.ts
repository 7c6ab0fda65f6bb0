import type { AccessGroup } from './kinds.ts';
import { orgRoles, type OrgRole } from './roles.ts';

/** Returns the highest role that the org's access groups give to a person. */
export function resolveOrgRole(email: string, groups: readonly AccessGroup[]): OrgRole | undefined {
  const held = groups.filter((group) => hasMember(group, email)).map((group) => group.spec.role);
  return orgRoles.findLast((role) => held.includes(role));
}

function hasMember(group: AccessGroup, email: string): boolean {
  return group.spec.members.some((member) => member.toLowerCase() === email.toLowerCase());
}
