import { createRoute } from '@hono/zod-openapi';
import { rejectStepUpdate } from '../../workflows/changes/messages.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, json, StepParams } from '../http/views.ts';
import { decideStep, getRunWithStep } from './decide-step.ts';
import { DecisionBody, RunView } from './schemas.ts';

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
    ...problems(400, 401, 403, 404, 409, 413, 415, 422),
  },
});

export function rejectStep(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const [ref, body] = [c.req.valid('param'), c.req.valid('json')];
    const run = await getRunWithStep(deps.store, ref);
    return c.json(await decideStep(c, deps, run, { ref, body, action: 'rejectStep', update: rejectStepUpdate }), 200);
  });
}
