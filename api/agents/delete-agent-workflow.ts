import { createRoute } from '@hono/zod-openapi';
import { AgentWorkflowKind } from '../../src/rules/agents/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { isScheduled } from '../../src/rules/scheduling/list-crons.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { acceptsPreconditions, deleteIfCurrent, readPrecondition } from '../http/preconditions.ts';
import { wakeSchedules } from '../../src/reconcile/wake-schedules.ts';
import { NamedParams } from '../http/views.ts';

const route = createRoute({
  operationId: 'deleteAgentWorkflow',
  method: 'delete',
  path: '/v1/orgs/{org}/agentworkflows/{name}',
  tags: ['Agents'],
  summary: 'Delete an AgentWorkflow',
  description: 'Started runs keep their copy of it and continue.',
  ...requireRole('org-admin'),
  ...acceptsPreconditions,
  request: { params: NamedParams },
  responses: { 204: { description: 'Deleted' }, ...problems(401, 403, 404, 409) },
});

export function deleteAgentWorkflow(app: App, { store, temporal }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org, name } = c.req.valid('param');
    const ref = { namespace: orgNamespace(org), name };
    const { spec } = await store.get(AgentWorkflowKind, ref);
    await deleteIfCurrent(store, AgentWorkflowKind, { ref, precondition: readPrecondition(c) });
    if (isScheduled(spec)) await wakeSchedules(temporal, org, [name]);
    return c.body(null, 204);
  });
}
