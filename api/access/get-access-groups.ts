import { createRoute } from '@hono/zod-openapi';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { setETag } from '../http/preconditions.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, OrgParams } from '../http/views.ts';
import { readAccessGroups } from './access-groups.ts';
import { AccessGroupsView } from './schemas.ts';

const route = createRoute({
  operationId: 'getAccessGroups',
  method: 'get',
  path: '/v1/orgs/{org}/access-groups',
  tags: ['Access'],
  summary: 'Get the access groups of an org',
  description: 'Returns all groups with their role and members. Every member of the org may read them.',
  ...requireRole('viewer'),
  request: { params: OrgParams },
  responses: { 200: jsonResponse('The access groups', AccessGroupsView), ...problems(401, 403, 404) },
});

export function getAccessGroups(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    const { groups, version } = await readAccessGroups(store, org);
    setETag(c, version);
    return c.json({ accessGroups: groups, resourceVersion: version }, 200);
  });
}
