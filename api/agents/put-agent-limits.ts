import { createRoute } from '@hono/zod-openapi';
import { invalid } from '../../src/errors.ts';
import { agentNetworkViolation } from '../../src/rules/network/agent-network-violation.ts';
import { AgentLimits, OrganizationKind } from '../../src/rules/orgs/kinds.ts';
import { getOrganization } from '../orgs/org.ts';
import { OrganizationView, toOrganizationView } from '../orgs/schemas.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { acceptsPreconditions, assertCurrent, readPrecondition, setETag } from '../http/preconditions.ts';
import { withAcceptedSpec } from '../http/replace-spec.ts';
import { jsonResponse, body, OrgParams } from '../http/views.ts';

const route = createRoute({
  operationId: 'putAgentLimits',
  method: 'put',
  path: '/v1/orgs/{org}/agent-limits',
  tags: ['Agents'],
  summary: 'Set the limits of an org’s agents',
  description: 'Limits what agents may do and spend, from their next turn on.',
  ...requireRole('org-admin'),
  ...acceptsPreconditions,
  request: { params: OrgParams, body: body(AgentLimits) },
  responses: {
    200: jsonResponse('The updated org', OrganizationView),
    ...problems(400, 401, 403, 404, 409, 413, 415, 422),
  },
});

export function putAgentLimits(app: App, { store, config }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const org = await getOrganization(store, c.req.valid('param').org);
    const agents = c.req.valid('json');
    const violation = agents.allowNetwork ? agentNetworkViolation(config.agentNetwork) : undefined;
    if (violation !== undefined)
      throw invalid(violation, [{ pointer: '/allowNetwork', detail: 'is not allowed by the installation' }]);
    assertCurrent(org, readPrecondition(c));
    const spec = { ...org.spec, agents };
    const replaced = await store.replace(OrganizationKind, withAcceptedSpec(org, spec));
    setETag(c, replaced.metadata.resourceVersion);
    return c.json(toOrganizationView(replaced, c.get('role')), 200);
  });
}
