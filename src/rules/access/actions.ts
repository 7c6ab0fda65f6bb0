import { roleAtLeast, type OrgRole } from './roles.ts';

/** What a caller may do with a resource; `name` is the operation, `why` says what stands in the way. */
export type Action = { name: string; step?: string; zone?: string; allowed: boolean; why?: string };

/** One possible operation on a resource; `hindrance` is the state that stands in its way. */
export type Possibility = {
  name: string;
  needs: OrgRole;
  step?: string;
  zone?: string;
  hindrance?: string | undefined;
};

/** Why that role may not do it, or undefined where it may: authorises calls and decides the `actions` of views. */
export function refusal(held: OrgRole | undefined, needed: OrgRole): string | undefined {
  if (roleAtLeast(held, needed)) return undefined;
  const have = held ? `yours is "${held}"` : 'you have none';
  return `This needs the role "${needed}" or higher; ${have}. An org admin can give it to you through an access group.`;
}

export function actionsFor(role: OrgRole | undefined, possibilities: readonly Possibility[]): Action[] {
  return possibilities.map(({ needs, hindrance, ...action }) => {
    const why = refusal(role, needs) ?? hindrance;
    return why === undefined ? { ...action, allowed: true } : { ...action, allowed: false, why };
  });
}
