import { createRoute } from '@hono/zod-openapi';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, body, OrgParams } from '../http/views.ts';
import { listAccessGroups, saveAccessGroups } from './access-groups.ts';
import { setDeprecationHeaders } from '../http/set-deprecation-headers.ts';
import { TeamsView } from './schemas.ts';

const route = createRoute({
  operationId: 'putTeams',
  method: 'put',
  path: '/v1/orgs/{org}/teams',
  tags: ['Access'],
  summary: 'Replace the access groups of an org under their former name',
  description: 'Deprecated: use `putAccessGroups`.',
  deprecated: true,
  ...requireRole('org-admin'),
  request: { params: OrgParams, body: body(TeamsView) },
  responses: {
    200: jsonResponse('The updated access groups', TeamsView),
    ...problems(400, 401, 403, 404, 413, 415, 422),
  },
});

export function putTeams(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    setDeprecationHeaders(c, `/api/v1/orgs/${org}/access-groups`);
    const { teams } = c.req.valid('json');
    await saveAccessGroups(store, org, { groups: teams, field: 'teams' });
    return c.json({ teams: await listAccessGroups(store, org) }, 200);
  });
}
