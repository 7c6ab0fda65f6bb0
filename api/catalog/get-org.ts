import { createRoute } from '@hono/zod-openapi';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { tagged } from '../read-page.ts';
import { answer, OrgParams } from '../views.ts';
import { getOrganization } from './org.ts';
import { OrganizationView, organizationView } from './schemas.ts';

const route = createRoute({
  operationId: 'getOrg',
  method: 'get',
  path: '/v1/orgs/{org}',
  tags: ['Orgs'],
  summary: 'Read an org',
  ...needs('viewer'),
  request: { params: OrgParams },
  responses: { 200: answer('The org', OrganizationView), ...problems(401, 403, 404) },
});

export function getOrg(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const org = await getOrganization(store, c.req.valid('param').org);
    tagged(c, org.metadata.resourceVersion);
    return c.json(organizationView(org, c.get('role')), 200);
  });
}
