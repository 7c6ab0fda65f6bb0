import { createRoute } from '@hono/zod-openapi';
import { AgentWorkflowKind } from '../../src/rules/agents/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { ifMatch } from '../read-page.ts';
import { NamedParams } from '../views.ts';

const route = createRoute({
  operationId: 'deleteAgentWorkflow',
  method: 'delete',
  path: '/v1/orgs/{org}/agentworkflows/{name}',
  tags: ['Agents'],
  summary: 'Delete an AgentWorkflow; runs that started keep what they started with',
  ...needs('org-admin'),
  request: { params: NamedParams },
  responses: { 204: { description: 'Deleted' }, ...problems(401, 403, 404, 409) },
});

export function deleteAgentWorkflow(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org, name } = c.req.valid('param');
    const resourceVersion = ifMatch(c);
    await store.delete(
      AgentWorkflowKind,
      { namespace: orgNamespace(org), name },
      resourceVersion === undefined ? {} : { resourceVersion },
    );
    return c.body(null, 204);
  });
}
