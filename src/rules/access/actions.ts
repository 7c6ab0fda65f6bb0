import { isRoleAtLeast, type OrgRole } from './roles.ts';

export const actionReasons = ['role-insufficient', 'state-conflict', 'self-approval'] as const;
/** An operation that the caller may or may not call on a resource; `reason` and `message` say why it is not allowed. */
export type Action = {
  name: string;
  step?: string;
  zone?: string;
  allowed: boolean;
  reason?: (typeof actionReasons)[number];
  message?: string;
};

/**
 * An operation on a resource with the role it requires; `blockedBy` says which state of the resource forbids it, and
 * `selfApproval` why the org requires another person.
 */
export type ActionRule = {
  name: string;
  requiredRole: OrgRole;
  step?: string;
  zone?: string;
  blockedBy?: string | undefined;
  selfApproval?: string | undefined;
};

/** Returns why a role is not sufficient. The same rule authorizes calls and fills the `actions` of views. */
export function roleViolation(held: OrgRole | undefined, needed: OrgRole): string | undefined {
  if (isRoleAtLeast(held, needed)) return undefined;
  const current = held ? `your role is "${held}"` : 'you have no role in this org';
  return `This requires the role "${needed}" or higher; ${current}. Ask an org admin to add you to an access group.`;
}

export function actionsFor(role: OrgRole | undefined, rules: readonly ActionRule[]): Action[] {
  return rules.map(({ requiredRole, blockedBy, selfApproval, ...action }) => {
    const violation = roleViolation(role, requiredRole);
    if (violation !== undefined)
      return { ...action, allowed: false, reason: 'role-insufficient' as const, message: violation };
    if (blockedBy !== undefined)
      return { ...action, allowed: false, reason: 'state-conflict' as const, message: blockedBy };
    if (selfApproval !== undefined)
      return { ...action, allowed: false, reason: 'self-approval' as const, message: selfApproval };
    return { ...action, allowed: true };
  });
}
