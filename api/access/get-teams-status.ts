import { createRoute } from '@hono/zod-openapi';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { setDeprecationHeaders } from '../http/set-deprecation-headers.ts';
import { jsonResponse, OrgParams } from '../http/views.ts';
import { readAccessGroupsStatus } from './access-groups-status.ts';
import { TeamsStatusView } from './schemas.ts';

const route = createRoute({
  operationId: 'getTeamsStatus',
  method: 'get',
  path: '/v1/orgs/{org}/teams/status',
  tags: ['Access'],
  summary: 'Get the resolved access groups of an org (former name: teams)',
  description: 'Deprecated: use `getAccessGroupsStatus`.',
  deprecated: true,
  ...requireRole('viewer'),
  request: { params: OrgParams },
  responses: { 200: jsonResponse('The state of each group', TeamsStatusView), ...problems(401, 403, 404) },
});

export function getTeamsStatus(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    setDeprecationHeaders(c, `/api/v1/orgs/${org}/access-groups/status`);
    return c.json({ teams: await readAccessGroupsStatus(deps, org) }, 200);
  });
}
