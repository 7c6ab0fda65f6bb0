import { createRoute } from '@hono/zod-openapi';
import { WithStartWorkflowOperation } from '@temporalio/client';
import type { Workflow } from '@temporalio/common';
import { ServiceError } from '../../src/errors.ts';
import { retryStepUpdate, runAgentWorkflowStart, type StepRef } from '../../workflows/changes/messages.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, StepParams } from '../http/views.ts';
import { getRunByName } from './run-view.ts';
import { RunView } from './schemas.ts';
import { toRunInput, getStep, updateRun } from './update-run.ts';

const route = createRoute({
  operationId: 'retryStep',
  method: 'post',
  path: '/v1/orgs/{org}/agentworkflowruns/{run}/steps/{step}/retry',
  tags: ['Changes'],
  summary: 'Retry a step',
  description:
    'Retries a failed step, or resumes a step that needs guidance without any. Fails with 409 in other phases.',
  ...requireRole('member'),
  request: { params: StepParams },
  responses: { 200: jsonResponse('The updated run', RunView), ...problems(401, 403, 404, 409, 503) },
});

export function retryStep(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { step: name, ...ref } = c.req.valid('param');
    const run = await getRunByName(deps.store, ref);
    const { phase } = getStep(run, name);
    if (phase !== 'Failed' && phase !== 'NeedsGuidance')
      throw new ServiceError(
        'step-not-retryable',
        `The step "${name}" of run "${ref.run}" cannot be retried: its phase is ${phase}, not Failed or NeedsGuidance.`,
      );
    const decision: StepRef = { run: ref.run, step: name, by: c.get('caller').email };
    const proof = deps.signDecision({ action: 'retryStep', scope: ref, decision });
    const input = { ...toRunInput(run, ref.org), resume: { run: ref.run, retry: { decision, proof } } };
    // A finished run is resumed by a new workflow execution; a waiting run receives the update in its current one.
    const { type, options } = runAgentWorkflowStart(input);
    const startWorkflowOperation = new WithStartWorkflowOperation<Workflow>(type, options);
    const update = () =>
      deps.temporal.workflow.executeUpdateWithStart(retryStepUpdate, {
        args: [decision, proof],
        startWorkflowOperation,
      });
    return c.json(await updateRun(c, deps, { ref, update }), 200);
  });
}
