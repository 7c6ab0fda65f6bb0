import { changeObject } from '../../../parts/change-object.ts';
import { trimSpec } from '../trim-spec.ts';
import type { Group } from './roles.ts';

type Provider = { name: string; label: string };

/** Lists the identity providers whose groups a group can contain, also one that is gone and whose groups it still names. */
export function listProviders(offered: readonly Provider[], { providerGroups = [] }: Group): Provider[] {
  const named = new Set(providerGroups.map(({ provider }) => provider));
  for (const { name } of offered) named.delete(name);
  return [...offered, ...[...named].map((name) => ({ name, label: name }))];
}

export const listGroupNames = ({ providerGroups = [] }: Group, provider: string): string[] =>
  providerGroups.filter((one) => one.provider === provider).map(({ group }) => group);

/** Replaces the groups of one provider, and keeps those of the others. */
export function withProviderGroups(group: Group, provider: string, names: readonly string[]): Group {
  const others = (group.providerGroups ?? []).filter((one) => one.provider !== provider);
  const providerGroups = [...others, ...names.map((name) => ({ provider, group: name }))];
  return changeObject(group, { providerGroups: providerGroups.length === 0 ? undefined : providerGroups });
}

/** Returns the places of a provider's groups in the body that is saved. */
export const toPointers = (group: Group, { index, provider }: { index: number; provider: string }): string[] =>
  (toSpec(group).providerGroups ?? []).flatMap((one, at) =>
    one.provider === provider ? [`/accessGroups/${index}/providerGroups/${at}`] : [],
  );

/** Returns what is saved: without empty lines, but with the list of members of a group that has none. */
export function toSpec(group: Group): Group {
  const providerGroups = group.providerGroups?.filter((one) => one.group.trim() !== '');
  return {
    ...trimSpec(changeObject(group, { providerGroups: providerGroups?.length === 0 ? undefined : providerGroups })),
    members: group.members.map((member) => member.trim()).filter((member) => member !== ''),
  };
}
