import { createRoute } from '@hono/zod-openapi';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { answer, OrgParams } from '../views.ts';
import { readAccessGroups } from './access-groups.ts';
import { AccessGroupsView } from './schemas.ts';

const route = createRoute({
  operationId: 'getAccessGroups',
  method: 'get',
  path: '/v1/orgs/{org}/access-groups',
  tags: ['Access'],
  summary: 'Read who has which role in an org',
  ...needs('org-admin'),
  request: { params: OrgParams },
  responses: { 200: answer('The groups', AccessGroupsView), ...problems(401, 403, 404) },
});

export function getAccessGroups(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    return c.json({ accessGroups: await readAccessGroups(store, org) }, 200);
  });
}
