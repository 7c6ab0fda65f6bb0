import { createRoute } from '@hono/zod-openapi';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, OrgParams } from '../http/views.ts';
import { readAccessGroupsStatus } from './access-groups-status.ts';
import { AccessGroupsStatusView } from './schemas.ts';

const route = createRoute({
  operationId: 'getAccessGroupsStatus',
  method: 'get',
  path: '/v1/orgs/{org}/access-groups/status',
  tags: ['Access'],
  summary: 'Get the resolved access groups of an org',
  description: 'Returns the role of each group, and which of its addresses belong to a user who can sign in.',
  ...requireRole('viewer'),
  request: { params: OrgParams },
  responses: { 200: jsonResponse('The state of each group', AccessGroupsStatusView), ...problems(401, 403, 404) },
});

export function getAccessGroupsStatus(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    return c.json({ accessGroups: await readAccessGroupsStatus(deps, org) }, 200);
  });
}
