import type { AccessGroup } from './kinds.ts';
import { type ProviderGroup, toGroupKey } from './provider-group.ts';
import { findHighestRole, isRoleAtLeast, type OrgRole } from './roles.ts';

/** A person, by their address and by their groups at identity providers. */
export type Person = { email: string; providerGroups?: readonly ProviderGroup[] | undefined };

export function isInGroup({ spec }: AccessGroup, person: Person): boolean {
  const keys = new Set(toKeys(person));
  return listGrantedKeys(spec).some((key) => keys.has(key));
}

/** Returns the role of every address and provider group at once. */
export function resolveOrgRoles(groups: readonly Pick<AccessGroup, 'spec'>[]): OrgRoles {
  const roles: OrgRoles = new Map();
  for (const { spec } of groups)
    for (const key of listGrantedKeys(spec)) if (!isRoleAtLeast(roles.get(key), spec.role)) roles.set(key, spec.role);
  return roles;
}

/** The roles in an org, by what identifies a person. */
export type OrgRoles = Map<string, OrgRole>;

/** Returns the highest role of a person. */
export function findOrgRole(roles: OrgRoles, person: Person): OrgRole | undefined {
  return findHighestRole(toKeys(person).map((key) => roles.get(key)));
}

const toKeys = ({ email, providerGroups = [] }: Person): string[] => [
  email.toLowerCase(),
  ...providerGroups.map(toGroupKey),
];

const listGrantedKeys = ({ members, providerGroups = [] }: AccessGroup['spec']): string[] => [
  ...members.map((member) => member.toLowerCase()),
  ...providerGroups.map(toGroupKey),
];
