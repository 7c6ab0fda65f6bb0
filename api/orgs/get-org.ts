import { createRoute } from '@hono/zod-openapi';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { setETag } from '../http/preconditions.ts';
import { jsonResponse, OrgParams } from '../http/views.ts';
import { getOrganization } from './org.ts';
import { OrganizationView, toOrganizationView } from './schemas.ts';

const route = createRoute({
  operationId: 'getOrg',
  method: 'get',
  path: '/v1/orgs/{org}',
  tags: ['Orgs'],
  summary: 'Get an org',
  description: 'Returns the org and the operations that the caller can perform on it.',
  ...requireRole('viewer'),
  request: { params: OrgParams },
  responses: { 200: jsonResponse('The org', OrganizationView), ...problems(401, 403, 404) },
});

export function getOrg(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const org = await getOrganization(store, c.req.valid('param').org);
    setETag(c, org.metadata.resourceVersion);
    return c.json(toOrganizationView(org, c.get('role')), 200);
  });
}
