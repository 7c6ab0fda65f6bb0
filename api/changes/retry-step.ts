import { createRoute, z } from '@hono/zod-openapi';
import { WithStartWorkflowOperation } from '@temporalio/client';
import type { Workflow } from '@temporalio/common';
import { invalid, ServiceError } from '../../src/errors.ts';
import { failedStepRetryViolation } from '../../src/rules/access/run-actions.ts';
import { type RetryDecision, retryStepUpdate, runAgentWorkflowStart } from '../../workflows/changes/messages.ts';
import type { AgentWorkflowRun } from '../../src/rules/changes/kinds.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { json, jsonResponse, StepParams } from '../http/views.ts';
import { assertRunAllowed } from './assert-run-allowed.ts';
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
    'Retries a failed step, or resumes a step that needs guidance without any. Fails with 409 in other phases, and with 429 when the org’s quota of runs in progress is reached.',
  ...requireRole('member'),
  request: {
    params: StepParams,
    body: {
      content: json(
        z.strictObject({
          startOver: z
            .boolean()
            .optional()
            .describe(
              'Whether the agent starts from scratch: this discards the conversation and the commits of its earlier turns, and keeps the guidance that people gave. Commits that others have built on are kept. Defaults to false.',
            ),
        }),
      ),
    },
  },
  responses: {
    200: jsonResponse('The updated run', RunView),
    ...problems(400, 401, 403, 404, 409, 413, 415, 422, 429),
  },
});

export function retryStep(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { step: name, ...ref } = c.req.valid('param');
    const { startOver = false } = c.req.valid('json');
    const run = await getRunByName(deps.store, ref);
    if (startOver) assertCanStartOver(run, name);
    const { phase } = getStep(run, name);
    if (phase !== 'Failed' && phase !== 'NeedsGuidance')
      throw new ServiceError(
        'step-not-retryable',
        `The step "${name}" of run "${ref.run}" cannot be retried: its phase is ${phase}, not Failed or NeedsGuidance.`,
      );
    const violation = phase === 'Failed' ? failedStepRetryViolation(run) : undefined;
    if (violation !== undefined) throw new ServiceError('step-not-retryable', violation);
    const by = c.get('caller').email;
    const decision: RetryDecision = { run: ref.run, step: name, by, ...(startOver && { startOver }) };
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
    await assertRunAllowed(deps, ref.org, options.workflowId);
    return c.json(await updateRun(c, deps, { ref, update }), 200);
  });
}

/** The resolution of a conflict always begins with the current conflict, and other steps have no conversation. */
function assertCanStartOver({ spec }: AgentWorkflowRun, name: string): void {
  const step = spec.steps.find((candidate) => candidate.name === name);
  if (!step || (step.type === 'agent' && !step.when)) return;
  throw invalid(`The step "${name}" cannot start over. Retry it without startOver.`, [
    { pointer: '/startOver', detail: 'applies only to agent steps that do not resolve conflicts' },
  ]);
}
