import { createRoute } from '@hono/zod-openapi';
import { AgentWorkflowKind, AgentWorkflowSpec } from '../../src/rules/agents/kinds.ts';
import { triggersSince } from '../../src/rules/intake/triggers-since.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { isScheduled } from '../../src/rules/scheduling/list-crons.ts';
import { workflowScheduleAnnotations } from '../../src/rules/scheduling/judge-schedule.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { readRequiredPrecondition, requiresPrecondition, setETag } from '../http/preconditions.ts';
import { replaceSpec } from '../http/replace-spec.ts';
import { applyingMark, finishApplying } from '../../src/reconcile/applying-mark.ts';
import { wakeSchedules } from '../../src/reconcile/wake-schedules.ts';
import { jsonResponse, body, NamedParams, replacementBody } from '../http/views.ts';
import { assertValidAgentWorkflow } from '../../src/reconcile/assert-valid-agent-workflow.ts';
import { AgentWorkflowView, toAgentWorkflowView } from './schemas.ts';

const route = createRoute({
  operationId: 'replaceAgentWorkflow',
  method: 'put',
  path: '/v1/orgs/{org}/agentworkflows/{name}',
  tags: ['Agents'],
  summary: 'Replace an AgentWorkflow',
  description: 'Fails with 409 if it changed since it was read. Started runs keep their copy of it.',
  ...requireRole('org-admin'),
  ...requiresPrecondition,
  request: { params: NamedParams, body: body(replacementBody(AgentWorkflowSpec)) },
  responses: {
    200: jsonResponse('The updated AgentWorkflow', AgentWorkflowView),
    ...problems(400, 401, 403, 404, 409, 413, 415, 422),
  },
});

export function replaceAgentWorkflow(app: App, { store, temporal, now }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org, name } = c.req.valid('param');
    const { spec, ...versions } = c.req.valid('json');
    const precondition = readRequiredPrecondition(c, versions);
    const ref = { namespace: orgNamespace(org), name };
    await assertValidAgentWorkflow(store, org, spec);
    const before = await store.get(AgentWorkflowKind, ref);
    const mark = applyingMark(now());
    const replaced = await replaceSpec(store, AgentWorkflowKind, {
      ref,
      spec,
      precondition,
      mark,
      annotate: (current) => ({
        ...workflowScheduleAnnotations(current, spec, now()),
        ...triggersSince(current.spec, spec, now()),
      }),
    });
    const workflow = await finishApplying(store, {
      kind: AgentWorkflowKind,
      object: replaced,
      mark,
      async follow() {
        if (isScheduled(before.spec) || isScheduled(spec)) await wakeSchedules(temporal, org, [name]);
      },
    });
    setETag(c, workflow.metadata.resourceVersion);
    return c.json(toAgentWorkflowView(workflow, c.get('role')), 200);
  });
}
