import { createRoute } from '@hono/zod-openapi';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { setETag } from '../http/preconditions.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, OrgParams } from '../http/views.ts';
import { readAccessGroups } from './access-groups.ts';
import { setDeprecationHeaders } from '../http/set-deprecation-headers.ts';
import { TeamsView } from './schemas.ts';

const route = createRoute({
  operationId: 'getTeams',
  method: 'get',
  path: '/v1/orgs/{org}/teams',
  tags: ['Access'],
  summary: 'Get the access groups of an org (former name: teams)',
  description: 'Deprecated: use `getAccessGroups`.',
  deprecated: true,
  ...requireRole('viewer'),
  request: { params: OrgParams },
  responses: { 200: jsonResponse('The access groups', TeamsView), ...problems(401, 403, 404) },
});

export function getTeams(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    setDeprecationHeaders(c, `/api/v1/orgs/${org}/access-groups`);
    const { groups, version } = await readAccessGroups(store, org);
    setETag(c, version);
    return c.json({ teams: groups, resourceVersion: version }, 200);
  });
}
