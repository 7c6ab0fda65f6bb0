import { createRoute } from '@hono/zod-openapi';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { answer, OrgParams } from '../views.ts';
import { readAccessGroups } from './access-groups.ts';
import { deprecated } from './deprecated.ts';
import { TeamsView } from './schemas.ts';

const route = createRoute({
  operationId: 'getTeams',
  method: 'get',
  path: '/v1/orgs/{org}/teams',
  tags: ['Access'],
  summary: 'Read who has which role in an org (use access-groups)',
  deprecated: true,
  ...needs('org-admin'),
  request: { params: OrgParams },
  responses: { 200: answer('The groups', TeamsView), ...problems(401, 403, 404) },
});

export function getTeams(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    deprecated(c, `/api/v1/orgs/${org}/access-groups`);
    return c.json({ teams: await readAccessGroups(store, org) }, 200);
  });
}
