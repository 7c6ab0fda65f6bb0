import { createRoute } from '@hono/zod-openapi';
import { WithStartWorkflowOperation } from '@temporalio/client';
import { ServiceError } from '../../src/errors.ts';
import { retryStep as retry, runSummary, type RunAgentWorkflowInput } from '../../workflows/changes/messages.ts';
import { searchAttributes } from '../../workflows/search-attributes.ts';
import { defaultTaskQueue } from '../../workflows/task-queues.ts';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { answer, StepParams } from '../views.ts';
import { getRunOf } from './run-view.ts';
import { RunView } from './schemas.ts';
import { inputOf, stepOf, tellRun, workflowOf } from './tell-run.ts';

const route = createRoute({
  operationId: 'retryStep',
  method: 'post',
  path: '/v1/orgs/{org}/agentworkflowruns/{run}/steps/{step}/retry',
  tags: ['Changes'],
  summary: 'Try a failed step again, or let one that needs guidance go on without',
  ...needs('member'),
  request: { params: StepParams },
  responses: { 200: answer('The run after it', RunView), ...problems(401, 403, 404, 409, 503) },
});

export function retryStep(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { step: name, ...ref } = c.req.valid('param');
    const run = await getRunOf(deps.store, ref);
    const { phase } = stepOf(run, name);
    if (phase !== 'Failed' && phase !== 'NeedsGuidance')
      throw new ServiceError(
        'conflict',
        `The step "${name}" of run "${ref.run}" is ${phase}: only a failed one can be tried again.`,
      );
    const by = c.get('caller').email;
    const { product, target } = run.spec;
    const input: RunAgentWorkflowInput = { ...inputOf(run.spec, ref.org), resume: { run: ref.run, retry: name, by } };
    // A run that has ended goes on in a new execution; one that waits takes the message as it is.
    const startWorkflowOperation = new WithStartWorkflowOperation('runAgentWorkflow', {
      taskQueue: defaultTaskQueue,
      workflowId: workflowOf(run, ref.org),
      workflowIdConflictPolicy: 'USE_EXISTING',
      args: [input],
      typedSearchAttributes: searchAttributes({ org: ref.org, product, targetKind: target ? 'issue' : 'instructions' }),
      ...runSummary(input),
    });
    const args: [{ run: string; step: string; by: string }] = [{ run: ref.run, step: name, by }];
    const tell = () => deps.temporal.workflow.executeUpdateWithStart(retry, { args, startWorkflowOperation });
    return c.json(await tellRun(c, deps, { ref, tell }), 200);
  });
}
