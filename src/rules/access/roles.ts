/** Roles within an org in ascending order; each role includes the permissions of the roles before it. */
export const orgRoles = ['viewer', 'member', 'org-admin'] as const;
export type OrgRole = (typeof orgRoles)[number];

/** The minimum access that an operation requires; a role of an org refers to the org in the path. */
export type RequiredRole = 'anyone' | 'setup-token' | 'signed-in' | OrgRole | 'platform-admin';

export type Caller = {
  /** The user's resource name. */
  user: string;
  email: string;
  platformAdmin: boolean;
  via: 'token' | 'session';
};

export function isRoleAtLeast(held: OrgRole | undefined, needed: OrgRole): boolean {
  return held !== undefined && orgRoles.indexOf(held) >= orgRoles.indexOf(needed);
}
