import type { AccessGroup, User } from './kinds.ts';
import { type ProviderGroup, toGroupKey } from './provider-group.ts';
import { findHighestRole, isRoleAtLeast, type OrgRole } from './roles.ts';

/** Why a person has a role: a group that lists their address, or one that contains a group of theirs at a provider. */
export type RoleReason = { accessGroup: string; role: OrgRole; providerGroup?: ProviderGroup };
export type OrgPerson = {
  email: string;
  /** The name of the User; absent while the person cannot sign in. */
  user?: string;
  role: OrgRole;
  platformAdmin: boolean;
  reasons: RoleReason[];
};

type Sources = {
  groups: readonly AccessGroup[];
  users: readonly User[];
  /** Returns the groups of a user at identity providers. */
  listProviderGroups: (user: User) => readonly ProviderGroup[];
};

/** Lists everyone who has a role in an org, each with the highest role and every reason for one. */
export function listOrgPeople({ groups, users, listProviderGroups }: Sources): OrgPerson[] {
  const people = new Map<string, OrgPerson>();
  const find = (email: string, role: OrgRole): OrgPerson => {
    const key = email.toLowerCase();
    const person = people.get(key) ?? { email: key, role, platformAdmin: false, reasons: [] };
    people.set(key, person);
    return person;
  };
  const add = (email: string, reason: RoleReason): void => {
    const person = find(email, reason.role);
    person.reasons.push(reason);
    if (isRoleAtLeast(reason.role, person.role)) person.role = reason.role;
  };
  const byProviderGroup = new Map<string, RoleReason[]>();
  for (const { metadata, spec } of groups) {
    const reason = { accessGroup: metadata.name, role: spec.role };
    for (const email of new Set(spec.members.map((member) => member.toLowerCase()))) add(email, reason);
    for (const providerGroup of spec.providerGroups ?? []) {
      const key = toGroupKey(providerGroup);
      byProviderGroup.set(key, [...(byProviderGroup.get(key) ?? []), { ...reason, providerGroup }]);
    }
  }
  for (const user of users) {
    const own = byProviderGroup.size === 0 ? [] : listProviderGroups(user);
    for (const group of own)
      for (const reason of byProviderGroup.get(toGroupKey(group)) ?? []) add(user.spec.email, reason);
    if (user.spec.platformAdmin) Object.assign(find(user.spec.email, 'org-admin'), adminOfInstallation);
    const person = people.get(user.spec.email.toLowerCase());
    if (person) person.user = user.metadata.name;
  }
  return [...people.values()];
}

const adminOfInstallation = { role: 'org-admin', platformAdmin: true } as const;

/** Returns the people as a person with the given role sees them: only org admins know the admins of the installation. */
export function toVisiblePeople(people: readonly OrgPerson[], viewer: OrgRole | undefined): OrgPerson[] {
  if (isRoleAtLeast(viewer, 'org-admin')) return [...people];
  return people.flatMap((person) => {
    const role = findHighestRole(person.reasons.map((reason) => reason.role));
    return role === undefined ? [] : [{ ...person, platformAdmin: false, role }];
  });
}
