/** Roles within an org, least first; each may do what the ones before it may. */
export const orgRoles = ['viewer', 'member', 'org-admin'] as const;
export type OrgRole = (typeof orgRoles)[number];

/**
 * The least a caller needs for an operation: nothing, the setup token, to be signed in, a role in the org of the path,
 * or the whole installation.
 */
export type Need = 'anyone' | 'setup-token' | 'signed-in' | OrgRole | 'platform-admin';

export type Caller = {
  /** The user's resource name. */
  user: string;
  email: string;
  platformAdmin: boolean;
  via: 'token' | 'session';
};

export function roleAtLeast(held: OrgRole | undefined, needed: OrgRole): boolean {
  return held !== undefined && orgRoles.indexOf(held) >= orgRoles.indexOf(needed);
}
