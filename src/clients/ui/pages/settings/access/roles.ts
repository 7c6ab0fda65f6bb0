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
