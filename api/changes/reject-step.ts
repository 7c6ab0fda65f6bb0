import { createRoute } from '@hono/zod-openapi';
import { rejectStepUpdate } from '../../workflows/changes/messages.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, json, StepParams } from '../http/views.ts';
import { getRunByName } from './run-view.ts';
import { DecisionBody, RunView } from './schemas.ts';
import { assertNotFinished, getStep, updateRun, workflowIdFor } from './update-run.ts';

const route = createRoute({
  operationId: 'rejectStep',
  method: 'post',
  path: '/v1/orgs/{org}/agentworkflowruns/{run}/steps/{step}/reject',
  tags: ['Changes'],
  summary: 'Reject a step',
  description: 'Fails with 409 if the step is not waiting or if `headSha` is not the current head.',
  ...requireRole('member'),
  request: { params: StepParams, body: { content: json(DecisionBody) } },
  responses: {
    200: jsonResponse('The updated run', RunView),
    ...problems(400, 401, 403, 404, 409, 413, 415, 422, 503),
  },
});

export function rejectStep(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { step: name, ...ref } = c.req.valid('param');
    const { note, headSha } = c.req.valid('json');
    const run = await getRunByName(deps.store, ref);
    const step = getStep(run, name).name;
    assertNotFinished(run);
    const decision = {
      run: ref.run,
      step,
      by: c.get('caller').email,
      role: c.get('role') ?? 'member',
      ...(note !== undefined && { note }),
      ...(headSha !== undefined && { headSha }),
    };
    const proof = deps.signDecision({ action: 'rejectStep', scope: ref, decision });
    const update = () =>
      deps.temporal.workflow
        .getHandle(workflowIdFor(run, ref.org))
        .executeUpdate(rejectStepUpdate, { args: [decision, proof] });
    return c.json(await updateRun(c, deps, { ref, update }), 200);
  });
}
