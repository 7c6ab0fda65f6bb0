import { createRoute } from '@hono/zod-openapi';
import { cancelRun as cancel } from '../../workflows/changes/messages.ts';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { answer, RunParams } from '../views.ts';
import { getRunOf } from './run-view.ts';
import { RunView } from './schemas.ts';
import { refuseOver, tellRun, workflowOf } from './tell-run.ts';

const route = createRoute({
  operationId: 'cancelRun',
  method: 'post',
  path: '/v1/orgs/{org}/agentworkflowruns/{run}/cancel',
  tags: ['Changes'],
  summary: 'Cancel a run; what it left on the code host is taken back',
  ...needs('member'),
  request: { params: RunParams },
  responses: { 200: answer('The run after it', RunView), ...problems(401, 403, 404, 409, 503) },
});

export function cancelRun(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const ref = c.req.valid('param');
    const run = await getRunOf(deps.store, ref);
    refuseOver(run);
    const args: [{ run: string; by: string }] = [{ run: ref.run, by: c.get('caller').email }];
    const tell = () => deps.temporal.workflow.getHandle(workflowOf(run, ref.org)).executeUpdate(cancel, { args });
    return c.json(await tellRun(c, deps, { ref, tell }), 200);
  });
}
