import { createRoute } from '@hono/zod-openapi';
import { AgentLimits, OrganizationKind } from '../../src/rules/catalog/kinds.ts';
import { getOrganization } from '../catalog/org.ts';
import { OrganizationView, organizationView } from '../catalog/schemas.ts';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { ifMatch, refuseStale, tagged } from '../read-page.ts';
import { answer, body, OrgParams } from '../views.ts';

const route = createRoute({
  operationId: 'putAgentLimits',
  method: 'put',
  path: '/v1/orgs/{org}/agent-limits',
  tags: ['Agents'],
  summary: 'Say what the agents of an org may do and spend; it holds from their next turn on',
  ...needs('org-admin'),
  request: { params: OrgParams, body: body(AgentLimits) },
  responses: { 200: answer('The org', OrganizationView), ...problems(400, 401, 403, 404, 409, 413, 415, 422) },
});

export function putAgentLimits(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const org = await getOrganization(store, c.req.valid('param').org);
    refuseStale(org, { resourceVersion: ifMatch(c) });
    const spec = { ...org.spec, agents: c.req.valid('json') };
    const replaced = await store.replace(OrganizationKind, { ...org, spec });
    tagged(c, replaced.metadata.resourceVersion);
    return c.json(organizationView(replaced, c.get('role')), 200);
  });
}
