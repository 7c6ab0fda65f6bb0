import { createRoute, z } from '@hono/zod-openapi';
import { AgentWorkflowKind, AgentWorkflowSpec } from '../../src/rules/agents/kinds.ts';
import { NameLabel } from '../../src/rules/names.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { isScheduled } from '../../src/rules/scheduling/crons-of.ts';
import { getOrganization } from '../catalog/org.ts';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { tagged } from '../read-page.ts';
import { wakeSchedules } from '../scheduling/wake-schedules.ts';
import { answer, body, OrgParams } from '../views.ts';
import { checkAgentWorkflow } from './check-agent-workflow.ts';
import { AgentWorkflowView, agentWorkflowView } from './schemas.ts';

const route = createRoute({
  operationId: 'createAgentWorkflow',
  method: 'post',
  path: '/v1/orgs/{org}/agentworkflows',
  tags: ['Agents'],
  summary: 'Create an AgentWorkflow',
  ...needs('org-admin'),
  request: { params: OrgParams, body: body(z.strictObject({ name: NameLabel, spec: AgentWorkflowSpec })) },
  responses: {
    201: answer('The AgentWorkflow', AgentWorkflowView),
    ...problems(400, 401, 403, 404, 409, 413, 415, 422, 503),
  },
});

export function createAgentWorkflow(app: App, { store, temporal }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    const { name, spec } = c.req.valid('json');
    await getOrganization(store, org);
    await checkAgentWorkflow(store, org, spec);
    const created = await store.create(AgentWorkflowKind, { metadata: { namespace: orgNamespace(org), name }, spec });
    if (isScheduled(spec)) await wakeSchedules(temporal, org, [name]);
    tagged(c, created.metadata.resourceVersion);
    c.header('Location', `/api/v1/orgs/${org}/agentworkflows/${name}`);
    return c.json(agentWorkflowView(created, c.get('role')), 201);
  });
}
