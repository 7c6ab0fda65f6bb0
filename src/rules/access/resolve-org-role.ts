import type { AccessGroup } from './kinds.ts';
import { isRoleAtLeast, orgRoles, type OrgRole } from './roles.ts';

/** Returns the highest role that the org's access groups give to a person. */
export function resolveOrgRole(email: string, groups: readonly AccessGroup[]): OrgRole | undefined {
  const held = groups.filter((group) => isInGroup(group, email)).map((group) => group.spec.role);
  return orgRoles.findLast((role) => held.includes(role));
}

export function isInGroup(group: AccessGroup, email: string): boolean {
  return group.spec.members.some((member) => member.toLowerCase() === email.toLowerCase());
}

/** Returns the roles of all members at once, by e-mail address in lower case. */
export function resolveOrgRoles(groups: readonly AccessGroup[]): Map<string, OrgRole> {
  const roles = new Map<string, OrgRole>();
  for (const { spec } of groups)
    for (const member of spec.members) {
      const email = member.toLowerCase();
      if (!isRoleAtLeast(roles.get(email), spec.role)) roles.set(email, spec.role);
    }
  return roles;
}
