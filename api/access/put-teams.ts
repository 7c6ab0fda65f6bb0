import { createRoute } from '@hono/zod-openapi';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { answer, body, OrgParams } from '../views.ts';
import { readAccessGroups, writeAccessGroups } from './access-groups.ts';
import { deprecated } from './deprecated.ts';
import { TeamsView } from './schemas.ts';

const route = createRoute({
  operationId: 'putTeams',
  method: 'put',
  path: '/v1/orgs/{org}/teams',
  tags: ['Access'],
  summary: 'Set who has which role in an org (use access-groups)',
  deprecated: true,
  ...needs('org-admin'),
  request: { params: OrgParams, body: body(TeamsView) },
  responses: { 200: answer('The groups', TeamsView), ...problems(400, 401, 403, 404, 413, 415, 422) },
});

export function putTeams(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    deprecated(c, `/api/v1/orgs/${org}/access-groups`);
    const { teams } = c.req.valid('json');
    await writeAccessGroups(store, org, { groups: teams, field: 'teams' });
    return c.json({ teams: await readAccessGroups(store, org) }, 200);
  });
}
