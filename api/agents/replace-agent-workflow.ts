import { createRoute } from '@hono/zod-openapi';
import { AgentWorkflowKind, AgentWorkflowSpec } from '../../src/rules/agents/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { isScheduled } from '../../src/rules/scheduling/crons-of.ts';
import { scheduleAnnotations } from '../../src/rules/scheduling/judge-schedule.ts';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { ifMatch, replaceSpec, tagged } from '../read-page.ts';
import { wakeSchedules } from '../scheduling/wake-schedules.ts';
import { answer, body, NamedParams, replacementOf } from '../views.ts';
import { checkAgentWorkflow } from './check-agent-workflow.ts';
import { AgentWorkflowView, agentWorkflowView } from './schemas.ts';

const route = createRoute({
  operationId: 'replaceAgentWorkflow',
  method: 'put',
  path: '/v1/orgs/{org}/agentworkflows/{name}',
  tags: ['Agents'],
  summary: 'Replace an AgentWorkflow, if it is still as you read it; runs that started keep what they started with',
  ...needs('org-admin'),
  request: { params: NamedParams, body: body(replacementOf(AgentWorkflowSpec)) },
  responses: {
    200: answer('The AgentWorkflow', AgentWorkflowView),
    ...problems(400, 401, 403, 404, 409, 413, 415, 422, 503),
  },
});

export function replaceAgentWorkflow(app: App, { store, temporal, now }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org, name } = c.req.valid('param');
    const { spec, generation, resourceVersion = ifMatch(c) } = c.req.valid('json');
    const ref = { namespace: orgNamespace(org), name };
    await checkAgentWorkflow(store, org, spec);
    const before = await store.get(AgentWorkflowKind, ref);
    const replaced = await replaceSpec(store, AgentWorkflowKind, {
      ref,
      spec,
      seen: { resourceVersion, generation },
      annotate: (current) => scheduleAnnotations(current, spec, now()),
    });
    if (isScheduled(before.spec) || isScheduled(spec)) await wakeSchedules(temporal, org, [name]);
    tagged(c, replaced.metadata.resourceVersion);
    return c.json(agentWorkflowView(replaced, c.get('role')), 200);
  });
}
