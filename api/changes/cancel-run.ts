import { createRoute } from '@hono/zod-openapi';
import { cancelRunUpdate } from '../../workflows/changes/messages.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, RunParams } from '../http/views.ts';
import { getRunByName } from './run-view.ts';
import { RunView } from './schemas.ts';
import { assertNotFinished, updateRun, workflowIdFor } from './update-run.ts';

const route = createRoute({
  operationId: 'cancelRun',
  method: 'post',
  path: '/v1/orgs/{org}/agentworkflowruns/{run}/cancel',
  tags: ['Changes'],
  summary: 'Cancel a run',
  description:
    'Cancels the run, closes its pull request and deletes its branch. Fails with 409 if the run has finished.',
  ...requireRole('member'),
  request: { params: RunParams },
  responses: { 200: jsonResponse('The updated run', RunView), ...problems(401, 403, 404, 409) },
});

export function cancelRun(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const ref = c.req.valid('param');
    const run = await getRunByName(deps.store, ref);
    assertNotFinished(run);
    const decision = { run: ref.run, by: c.get('caller').email };
    const proof = deps.signDecision({ action: 'cancelRun', scope: ref, decision });
    const update = () =>
      deps.temporal.workflow
        .getHandle(workflowIdFor(run, ref.org))
        .executeUpdate(cancelRunUpdate, { args: [decision, proof] });
    return c.json(await updateRun(c, deps, { ref, update }), 200);
  });
}
