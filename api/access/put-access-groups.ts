import { createRoute } from '@hono/zod-openapi';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, body, OrgParams } from '../http/views.ts';
import { listAccessGroups, saveAccessGroups } from './access-groups.ts';
import { AccessGroupsView } from './schemas.ts';

const route = createRoute({
  operationId: 'putAccessGroups',
  method: 'put',
  path: '/v1/orgs/{org}/access-groups',
  tags: ['Access'],
  summary: 'Replace the access groups of an org',
  description: 'Groups that the body does not list are deleted. Requires the role org-admin.',
  ...requireRole('org-admin'),
  request: { params: OrgParams, body: body(AccessGroupsView) },
  responses: {
    200: jsonResponse('The updated access groups', AccessGroupsView),
    ...problems(400, 401, 403, 404, 413, 415, 422),
  },
});

export function putAccessGroups(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    const { accessGroups } = c.req.valid('json');
    await saveAccessGroups(store, org, { groups: accessGroups, field: 'accessGroups' });
    return c.json({ accessGroups: await listAccessGroups(store, org) }, 200);
  });
}
