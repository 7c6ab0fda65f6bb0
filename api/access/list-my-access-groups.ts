import { createRoute } from '@hono/zod-openapi';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse } from '../http/views.ts';
import { findMemberships } from './memberships.ts';
import { MembershipsView } from './schemas.ts';

const route = createRoute({
  operationId: 'listMyAccessGroups',
  method: 'get',
  path: '/v1/access/access-groups',
  tags: ['Access'],
  summary: 'List the access groups that you are in',
  description: 'Returns every access group that gives you a role, in all orgs.',
  ...requireRole('signed-in'),
  responses: { 200: jsonResponse('The groups', MembershipsView), ...problems(401) },
});

export function listMyAccessGroups(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const memberships = await findMemberships(store, c.get('caller'));
    return c.json({ items: memberships.map(({ group, ...rest }) => ({ accessGroup: group, ...rest })) }, 200);
  });
}
