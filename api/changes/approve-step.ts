import { createRoute } from '@hono/zod-openapi';
import { approveStepUpdate } from '../../workflows/changes/messages.ts';
import { invalid } from '../../src/errors.ts';
import type { AgentWorkflowRun } from '../../src/rules/changes/kinds.ts';
import { findRunContributors } from '../releases/find-contributors.ts';
import { assertNoSelfApproval } from '../orgs/assert-no-self-approval.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, json, StepParams } from '../http/views.ts';
import { decideStep, getRunWithStep } from './decide-step.ts';
import { DecisionBody, RunView } from './schemas.ts';

const route = createRoute({
  operationId: 'approveStep',
  method: 'post',
  path: '/v1/orgs/{org}/agentworkflowruns/{run}/steps/{step}/approve',
  tags: ['Changes'],
  summary: 'Approve a step',
  description:
    'The run continues after the step. Fails with 422 without the `headSha` of a run with a pull request, with 409 if the step is not waiting or if `headSha` is not the current head, and with 403 if the org requires approval by a second person.',
  ...requireRole('member'),
  request: { params: StepParams, body: { content: json(DecisionBody) } },
  responses: {
    200: jsonResponse('The updated run', RunView),
    ...problems(400, 401, 403, 404, 409, 413, 415, 422),
  },
});

export function approveStep(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const ref = c.req.valid('param');
    const body = c.req.valid('json');
    const run = await getRunWithStep(deps.store, ref);
    assertHeadNamed(run, body.headSha);
    await assertNoSelfApproval(deps.store, ref.org, {
      contributors: await findRunContributors(deps.store, ref.org, run),
      by: c.get('caller').email,
    });
    return c.json(await decideStep(c, deps, run, { ref, body, action: 'approveStep', update: approveStepUpdate }), 200);
  });
}

/** A person approves the commit that they read, not the newest one. */
function assertHeadNamed({ metadata, status }: AgentWorkflowRun, headSha: string | undefined): void {
  if (headSha !== undefined || !status?.pullRequest) return;
  throw invalid(`The approval of run "${metadata.name}" does not name the commit that you read.`, [
    {
      pointer: '/headSha',
      detail: `is missing: send the head of pull request #${status.pullRequest.number} that you read`,
    },
  ]);
}
