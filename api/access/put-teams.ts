import { createRoute } from '@hono/zod-openapi';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { readRequiredPrecondition, requiresPrecondition, setETag } from '../http/preconditions.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, body, OrgParams } from '../http/views.ts';
import { saveAccessGroups } from './access-groups.ts';
import { setDeprecationHeaders } from '../http/set-deprecation-headers.ts';
import { TeamsBody, TeamsView } from './schemas.ts';

const route = createRoute({
  operationId: 'putTeams',
  method: 'put',
  path: '/v1/orgs/{org}/teams',
  tags: ['Access'],
  summary: 'Replace the access groups of an org (former name: teams)',
  description: 'Deprecated: use `putAccessGroups`.',
  deprecated: true,
  ...requireRole('org-admin'),
  ...requiresPrecondition,
  request: { params: OrgParams, body: body(TeamsBody) },
  responses: {
    200: jsonResponse('The updated access groups', TeamsView),
    ...problems(400, 401, 403, 404, 409, 413, 415, 422),
  },
});

export function putTeams(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    setDeprecationHeaders(c, `/api/v1/orgs/${org}/access-groups`);
    const { teams: groups, resourceVersion } = c.req.valid('json');
    const precondition = readRequiredPrecondition(c, { resourceVersion });
    const saved = await saveAccessGroups(store, { org, groups, caller: c.get('caller'), field: 'teams', precondition });
    setETag(c, saved.version);
    return c.json({ teams: saved.groups, resourceVersion: saved.version }, 200);
  });
}
