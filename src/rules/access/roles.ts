import type { ProviderGroup } from './provider-group.ts';

/** Roles within an org in ascending order; each role includes the permissions of the roles before it. */
export const orgRoles = ['viewer', 'member', 'org-admin'] as const;
export type OrgRole = (typeof orgRoles)[number];

/** The minimum access that an operation requires; a role of an org refers to the org in the path. */
export type RequiredRole = 'anyone' | 'setup-token' | 'signed-in' | OrgRole | 'platform-admin';

export type Caller = {
  /** The user's resource name. */
  user: string;
  email: string;
  /** Whether the person administers the installation, also when the credential does not allow them to. */
  platformAdmin: boolean;
  via: 'token' | 'session';
  /** Groups of the person at identity providers, from which access groups give roles. */
  providerGroups?: readonly ProviderGroup[];
  /** The highest role that the credential allows in any org; absent when it allows all that the person may do. */
  roleMax?: OrgRole;
};

/** Returns true if the person administers the installation and the credential does not limit their role. */
export const mayAdminister = ({ platformAdmin, roleMax }: Caller): boolean => platformAdmin && roleMax === undefined;

/** Returns the lower of a role and a limit. */
export function limitRole(role: OrgRole | undefined, roleMax: OrgRole | undefined): OrgRole | undefined {
  return roleMax !== undefined && isRoleAtLeast(role, roleMax) ? roleMax : role;
}

export const findHighestRole = (held: readonly (OrgRole | undefined)[]): OrgRole | undefined =>
  orgRoles.findLast((role) => held.includes(role));

export function isRoleAtLeast(held: OrgRole | undefined, needed: OrgRole): boolean {
  return held !== undefined && orgRoles.indexOf(held) >= orgRoles.indexOf(needed);
}
