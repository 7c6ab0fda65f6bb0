import { createRoute } from '@hono/zod-openapi';
import { OrganizationKind } from '../../src/rules/orgs/kinds.ts';
import { listOrgRoles } from '../access/list-org-roles.ts';
import type { App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { respondCached } from '../http/respond-cached.ts';
import { paginate } from '../http/pagination.ts';
import { jsonResponse, listSchema, PageQuery } from '../http/views.ts';
import { orgRef } from './org.ts';
import { OrganizationView, toOrganizationView } from './schemas.ts';

const route = createRoute({
  operationId: 'listOrgs',
  method: 'get',
  path: '/v1/orgs',
  tags: ['Orgs'],
  summary: 'List orgs',
  description: 'Returns the orgs in which the caller has a role. Platform admins get all orgs.',
  ...requireRole('signed-in'),
  request: { query: PageQuery },
  responses: { 200: jsonResponse('A page of orgs', listSchema(OrganizationView)), ...problems(401, 422) },
});

export function listOrgs(app: App): void {
  app.openapi(route, async (c) => {
    return await respondCached(c, async (reads) => {
      const roles = await listOrgRoles(reads, c.get('caller'));
      const { items, ...page } = paginate(c, roles, { toPosition: ({ org }) => [org], query: c.req.valid('query') });
      const found = await Promise.all(
        items.map(async ({ org, role }) => ({ role, org: await reads.find(OrganizationKind, orgRef(org)) })),
      );
      const views = found.flatMap(({ org, role }) => (org ? [toOrganizationView(org, role)] : []));
      return { items: views, ...page };
    });
  });
}
