import { createRoute } from '@hono/zod-openapi';
import { AgentWorkflowKind } from '../../src/rules/agents/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { setETag } from '../http/preconditions.ts';
import { jsonResponse, NamedParams } from '../http/views.ts';
import { AgentWorkflowView, toAgentWorkflowView } from './schemas.ts';

const route = createRoute({
  operationId: 'getAgentWorkflow',
  method: 'get',
  path: '/v1/orgs/{org}/agentworkflows/{name}',
  tags: ['Agents'],
  summary: 'Get an AgentWorkflow',
  description: 'Returns the triggers, the steps and the schedule of the AgentWorkflow.',
  ...requireRole('viewer'),
  request: { params: NamedParams },
  responses: { 200: jsonResponse('The AgentWorkflow', AgentWorkflowView), ...problems(401, 403, 404) },
});

export function getAgentWorkflow(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org, name } = c.req.valid('param');
    const agentWorkflow = await store.get(AgentWorkflowKind, { namespace: orgNamespace(org), name });
    setETag(c, agentWorkflow.metadata.resourceVersion);
    return c.json(toAgentWorkflowView(agentWorkflow, c.get('role')), 200);
  });
}
