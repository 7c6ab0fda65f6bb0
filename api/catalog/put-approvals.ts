import { createRoute } from '@hono/zod-openapi';
import { ApprovalRules, OrganizationKind } from '../../src/rules/catalog/kinds.ts';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { ifMatch, refuseStale, tagged } from '../read-page.ts';
import { answer, body, OrgParams } from '../views.ts';
import { getOrganization } from './org.ts';
import { OrganizationView, organizationView } from './schemas.ts';

const route = createRoute({
  operationId: 'putApprovals',
  method: 'put',
  path: '/v1/orgs/{org}/approvals',
  tags: ['Orgs'],
  summary: 'Say who may approve; it holds for what is approved from now on',
  ...needs('org-admin'),
  request: { params: OrgParams, body: body(ApprovalRules) },
  responses: { 200: answer('The org', OrganizationView), ...problems(400, 401, 403, 404, 409, 413, 415, 422) },
});

export function putApprovals(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const org = await getOrganization(store, c.req.valid('param').org);
    refuseStale(org, { resourceVersion: ifMatch(c) });
    const spec = { ...org.spec, approvals: c.req.valid('json') };
    const replaced = await store.replace(OrganizationKind, { ...org, spec });
    tagged(c, replaced.metadata.resourceVersion);
    return c.json(organizationView(replaced, c.get('role')), 200);
  });
}
