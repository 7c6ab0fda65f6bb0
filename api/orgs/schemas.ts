import { isDeleting } from '../../src/rules/resource.ts';
import { actionsFor } from '../../src/rules/access/actions.ts';
import type { OrgRole } from '../../src/rules/access/roles.ts';
import { OrganizationKind, type Organization } from '../../src/rules/orgs/kinds.ts';
import { toView, viewSchema } from '../http/views.ts';

export const OrganizationView = viewSchema(OrganizationKind).openapi('Organization');

export const toOrganizationView = (org: Organization, role: OrgRole | undefined) =>
  toView(
    org,
    org.metadata.name,
    actionsFor(role, [
      ...changes.map((name) => ({ name, requiredRole: 'org-admin' as const, blockedBy: findBlock(org) })),
      { name: 'openIncident', requiredRole: 'member', blockedBy: findBlock(org) },
      { name: 'deleteOrg', requiredRole: 'org-admin' },
    ]),
  );

const findBlock = (org: Organization): string | undefined =>
  isDeleting(org) ? 'The org is being deleted.' : undefined;

const changes = [
  'createProduct',
  'createDomain',
  'createAgentRole',
  'createAgentWorkflow',
  'connectCodehost',
  'putAccessGroups',
  'putAgentLimits',
  'putApprovals',
  'putScheduling',
];
