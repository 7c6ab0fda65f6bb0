import { createRoute } from '@hono/zod-openapi';
import { AgentRoleKind, AgentRoleSpec } from '../../src/rules/agents/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { ifMatch, replaceSpec, tagged } from '../read-page.ts';
import { answer, body, NamedParams, replacementOf } from '../views.ts';
import { checkAgentRole } from './check-agent-role.ts';
import { AgentRoleView, agentRoleView } from './schemas.ts';

const route = createRoute({
  operationId: 'replaceAgentRole',
  method: 'put',
  path: '/v1/orgs/{org}/agentroles/{name}',
  tags: ['Agents'],
  summary: 'Replace an AgentRole, if it is still as you read it; runs that started keep what they started with',
  ...needs('org-admin'),
  request: { params: NamedParams, body: body(replacementOf(AgentRoleSpec)) },
  responses: { 200: answer('The AgentRole', AgentRoleView), ...problems(400, 401, 403, 404, 409, 413, 415, 422) },
});

export function replaceAgentRole(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org, name } = c.req.valid('param');
    const { spec, generation, resourceVersion = ifMatch(c) } = c.req.valid('json');
    await checkAgentRole(store, org, spec);
    const ref = { namespace: orgNamespace(org), name };
    const replaced = await replaceSpec(store, AgentRoleKind, { ref, spec, seen: { resourceVersion, generation } });
    tagged(c, replaced.metadata.resourceVersion);
    return c.json(agentRoleView(replaced, c.get('role')), 200);
  });
}
