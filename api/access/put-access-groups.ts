import { createRoute } from '@hono/zod-openapi';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { answer, body, OrgParams } from '../views.ts';
import { readAccessGroups, writeAccessGroups } from './access-groups.ts';
import { AccessGroupsView } from './schemas.ts';

const route = createRoute({
  operationId: 'putAccessGroups',
  method: 'put',
  path: '/v1/orgs/{org}/access-groups',
  tags: ['Access'],
  summary: 'Set who has which role in an org',
  ...needs('org-admin'),
  request: { params: OrgParams, body: body(AccessGroupsView) },
  responses: { 200: answer('The groups', AccessGroupsView), ...problems(400, 401, 403, 404, 413, 415, 422) },
});

export function putAccessGroups(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    const { accessGroups } = c.req.valid('json');
    await writeAccessGroups(store, org, { groups: accessGroups, field: 'accessGroups' });
    return c.json({ accessGroups: await readAccessGroups(store, org) }, 200);
  });
}
