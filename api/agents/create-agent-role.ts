import { createRoute, z } from '@hono/zod-openapi';
import { AgentRoleKind, AgentRoleSpec } from '../../src/rules/agents/kinds.ts';
import { NameLabel } from '../../src/rules/names.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { tagged } from '../read-page.ts';
import { answer, body, OrgParams } from '../views.ts';
import { checkAgentRole } from './check-agent-role.ts';
import { AgentRoleView, agentRoleView } from './schemas.ts';

const route = createRoute({
  operationId: 'createAgentRole',
  method: 'post',
  path: '/v1/orgs/{org}/agentroles',
  tags: ['Agents'],
  summary: 'Create an AgentRole',
  ...needs('org-admin'),
  request: { params: OrgParams, body: body(z.strictObject({ name: NameLabel, spec: AgentRoleSpec })) },
  responses: { 201: answer('The AgentRole', AgentRoleView), ...problems(400, 401, 403, 404, 409, 413, 415, 422) },
});

export function createAgentRole(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    const { name, spec } = c.req.valid('json');
    await checkAgentRole(store, org, spec);
    const created = await store.create(AgentRoleKind, { metadata: { namespace: orgNamespace(org), name }, spec });
    tagged(c, created.metadata.resourceVersion);
    c.header('Location', `/api/v1/orgs/${org}/agentroles/${name}`);
    return c.json(agentRoleView(created, c.get('role')), 201);
  });
}
