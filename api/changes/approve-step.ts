import { createRoute } from '@hono/zod-openapi';
import { approveStepUpdate } from '../../workflows/changes/messages.ts';
import { assertNoSelfApproval } from '../orgs/assert-no-self-approval.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, json, StepParams } from '../http/views.ts';
import { getRunByName } from './run-view.ts';
import { DecisionBody, RunView } from './schemas.ts';
import { assertNotFinished, getStep, updateRun, workflowIdFor } from './update-run.ts';

const route = createRoute({
  operationId: 'approveStep',
  method: 'post',
  path: '/v1/orgs/{org}/agentworkflowruns/{run}/steps/{step}/approve',
  tags: ['Changes'],
  summary: 'Approve a step',
  description:
    'The run continues after the step. Fails with 409 if the step is not waiting or if `headSha` is not the current head, and with 403 if the org requires approval by a second person.',
  ...requireRole('member'),
  request: { params: StepParams, body: { content: json(DecisionBody) } },
  responses: {
    200: jsonResponse('The updated run', RunView),
    ...problems(400, 401, 403, 404, 409, 413, 415, 422, 503),
  },
});

export function approveStep(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { step: name, ...ref } = c.req.valid('param');
    const { note, headSha } = c.req.valid('json');
    const run = await getRunByName(deps.store, ref);
    const step = getStep(run, name).name;
    assertNotFinished(run);
    await assertNoSelfApproval(deps.store, ref.org, { startedBy: run.spec.startedBy, by: c.get('caller').email });
    const decision = {
      run: ref.run,
      step,
      by: c.get('caller').email,
      role: c.get('role') ?? 'member',
      ...(note !== undefined && { note }),
      ...(headSha !== undefined && { headSha }),
    };
    const update = () =>
      deps.temporal.workflow
        .getHandle(workflowIdFor(run, ref.org))
        .executeUpdate(approveStepUpdate, { args: [decision] });
    return c.json(await updateRun(c, deps, { ref, update }), 200);
  });
}
