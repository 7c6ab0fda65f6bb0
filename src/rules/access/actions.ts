import { defined } from '../../defined.ts';
import { isRoleAtLeast, type OrgRole } from './roles.ts';

/** An operation that the caller may or may not call on a resource; `reason` explains why it is not allowed. */
export type Action = { name: string; step?: string; zone?: string; allowed: boolean; reason?: string };

/** An operation on a resource with the role it requires; `blockedBy` says which state of the resource forbids it. */
export type ActionRule = {
  name: string;
  requiredRole: OrgRole;
  step?: string;
  zone?: string;
  blockedBy?: string | undefined;
};

/** Returns why a role is not sufficient. The same rule authorizes calls and fills the `actions` of views. */
export function roleViolation(held: OrgRole | undefined, needed: OrgRole): string | undefined {
  if (isRoleAtLeast(held, needed)) return undefined;
  const current = held ? `your role is "${held}"` : 'you have no role in this org';
  return `This requires the role "${needed}" or higher; ${current}. Ask an org admin to add you to an access group.`;
}

export function actionsFor(role: OrgRole | undefined, rules: readonly ActionRule[]): Action[] {
  return rules.map(({ requiredRole, blockedBy, ...action }) => {
    const reason = roleViolation(role, requiredRole) ?? blockedBy;
    return defined({ ...action, allowed: reason === undefined, reason });
  });
}
