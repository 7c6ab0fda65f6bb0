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
      { name: 'createProduct', requiredRole: 'org-admin' },
      { name: 'connectCodehost', requiredRole: 'org-admin' },
      { name: 'putAgentLimits', requiredRole: 'org-admin' },
      { name: 'putApprovals', requiredRole: 'org-admin' },
      { name: 'putScheduling', requiredRole: 'org-admin' },
    ]),
  );
