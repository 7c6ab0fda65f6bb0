import { createRoute } from '@hono/zod-openapi';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { setDeprecationHeaders } from '../http/set-deprecation-headers.ts';
import { jsonResponse } from '../http/views.ts';
import { findMemberships } from './memberships.ts';
import { TeamMembershipsView } from './schemas.ts';

const route = createRoute({
  operationId: 'listMyTeams',
  method: 'get',
  path: '/v1/access/teams',
  tags: ['Access'],
  summary: 'List the access groups that you are in (former name: teams)',
  description: 'Deprecated: use `listMyAccessGroups`.',
  deprecated: true,
  ...requireRole('signed-in'),
  responses: { 200: jsonResponse('The groups', TeamMembershipsView), ...problems(401) },
});

export function listMyTeams(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    setDeprecationHeaders(c, '/api/v1/access/access-groups');
    const memberships = await findMemberships(store, c.get('caller'));
    return c.json({ items: memberships.map(({ group, ...rest }) => ({ team: group, ...rest })) }, 200);
  });
}
