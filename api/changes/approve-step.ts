import { createRoute } from '@hono/zod-openapi';
import { approveStep as approve } from '../../workflows/changes/messages.ts';
import { refuseOwnApproval } from '../catalog/org.ts';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { answer, json, StepParams } from '../views.ts';
import { getRunOf } from './run-view.ts';
import { DecisionBody, RunView } from './schemas.ts';
import { refuseOver, stepOf, tellRun, workflowOf } from './tell-run.ts';

const route = createRoute({
  operationId: 'approveStep',
  method: 'post',
  path: '/v1/orgs/{org}/agentworkflowruns/{run}/steps/{step}/approve',
  tags: ['Changes'],
  summary: 'Approve what a step waits for',
  ...needs('member'),
  request: { params: StepParams, body: { content: json(DecisionBody) } },
  responses: { 200: answer('The run after it', RunView), ...problems(400, 401, 403, 404, 409, 413, 415, 422, 503) },
});

export function approveStep(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { step: name, ...ref } = c.req.valid('param');
    const { note, headSha } = c.req.valid('json');
    const run = await getRunOf(deps.store, ref);
    const step = stepOf(run, name).name;
    refuseOver(run);
    await refuseOwnApproval(deps.store, ref.org, { startedBy: run.spec.startedBy, by: c.get('caller').email });
    const decision = {
      run: ref.run,
      step,
      by: c.get('caller').email,
      role: c.get('role') ?? 'member',
      ...(note !== undefined && { note }),
      ...(headSha !== undefined && { headSha }),
    };
    const tell = () =>
      deps.temporal.workflow.getHandle(workflowOf(run, ref.org)).executeUpdate(approve, { args: [decision] });
    return c.json(await tellRun(c, deps, { ref, tell }), 200);
  });
}
