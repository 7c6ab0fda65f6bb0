import { createRoute } from '@hono/zod-openapi';
import { AgentWorkflowKind } from '../../src/rules/agents/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { tagged } from '../read-page.ts';
import { answer, NamedParams } from '../views.ts';
import { AgentWorkflowView, agentWorkflowView } from './schemas.ts';

const route = createRoute({
  operationId: 'getAgentWorkflow',
  method: 'get',
  path: '/v1/orgs/{org}/agentworkflows/{name}',
  tags: ['Agents'],
  summary: 'Read an AgentWorkflow',
  ...needs('viewer'),
  request: { params: NamedParams },
  responses: { 200: answer('The AgentWorkflow', AgentWorkflowView), ...problems(401, 403, 404) },
});

export function getAgentWorkflow(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org, name } = c.req.valid('param');
    const found = await store.get(AgentWorkflowKind, { namespace: orgNamespace(org), name });
    tagged(c, found.metadata.resourceVersion);
    return c.json(agentWorkflowView(found, c.get('role')), 200);
  });
}
