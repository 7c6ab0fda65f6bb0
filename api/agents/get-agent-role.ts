import { createRoute } from '@hono/zod-openapi';
import { AgentRoleKind } from '../../src/rules/agents/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { setETag } from '../http/preconditions.ts';
import { jsonResponse, NamedParams } from '../http/views.ts';
import { AgentRoleView, toAgentRoleView } from './schemas.ts';

const route = createRoute({
  operationId: 'getAgentRole',
  method: 'get',
  path: '/v1/orgs/{org}/agentroles/{name}',
  tags: ['Agents'],
  summary: 'Get an AgentRole',
  description: 'Returns the responsibilities, the model, the tools and the limits of the AgentRole.',
  ...requireRole('viewer'),
  request: { params: NamedParams },
  responses: { 200: jsonResponse('The AgentRole', AgentRoleView), ...problems(401, 403, 404) },
});

export function getAgentRole(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org, name } = c.req.valid('param');
    const agentRole = await store.get(AgentRoleKind, { namespace: orgNamespace(org), name });
    setETag(c, agentRole.metadata.resourceVersion);
    return c.json(toAgentRoleView(agentRole, c.get('role')), 200);
  });
}
