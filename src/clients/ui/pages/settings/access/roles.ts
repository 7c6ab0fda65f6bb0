import type { Schemas } from '../../../api/generated/openapi.ts';

export type Group = Schemas['AccessGroupList']['accessGroups'][number];
export type OrgRole = Group['role'];

/** The roles in ascending order; each includes the ones before it. */
export const orgRoles: OrgRole[] = ['viewer', 'member', 'org-admin'];

export const roleMeanings: Record<OrgRole, string> = {
  viewer: 'Read everything of the org',
  member: 'Also start and act on Changes and Releases, and approve promotions',
  'org-admin': 'Also change how the org works: Products, AgentRoles, AgentWorkflows, access groups, domains, settings',
};

/** Finds the highest role that the groups give a person, and the groups that give it. */
export function findRole(groups: Group[], email: string): { role: OrgRole; groups: string[] } | undefined {
  const own = groups.filter(({ members }) => members.some((member) => member.toLowerCase() === email.toLowerCase()));
  const role = orgRoles.findLast((each) => own.some((group) => group.role === each));
  if (role === undefined) return undefined;
  return { role, groups: own.filter((group) => group.role === role).map(({ name }) => name) };
}

/** Counts the people of each role by their highest one. */
export function countPeople(groups: Group[]): Record<OrgRole, number> {
  const people = new Set(groups.flatMap(({ members }) => members.map((member) => member.toLowerCase())));
  const counts = { viewer: 0, member: 0, 'org-admin': 0 };
  for (const person of people) {
    const found = findRole(groups, person);
    if (found) counts[found.role] += 1;
  }
  return counts;
}
