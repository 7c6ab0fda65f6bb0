import { createRoute } from '@hono/zod-openapi';
import { AgentRoleKind } from '../../src/rules/agents/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { tagged } from '../read-page.ts';
import { answer, NamedParams } from '../views.ts';
import { AgentRoleView, agentRoleView } from './schemas.ts';

const route = createRoute({
  operationId: 'getAgentRole',
  method: 'get',
  path: '/v1/orgs/{org}/agentroles/{name}',
  tags: ['Agents'],
  summary: 'Read an AgentRole',
  ...needs('viewer'),
  request: { params: NamedParams },
  responses: { 200: answer('The AgentRole', AgentRoleView), ...problems(401, 403, 404) },
});

export function getAgentRole(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org, name } = c.req.valid('param');
    const found = await store.get(AgentRoleKind, { namespace: orgNamespace(org), name });
    tagged(c, found.metadata.resourceVersion);
    return c.json(agentRoleView(found, c.get('role')), 200);
  });
}
