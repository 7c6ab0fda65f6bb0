import { createRoute, z } from '@hono/zod-openapi';
import { ServiceError } from '../../src/errors.ts';
import { guidanceKey } from '../../src/rules/agents/transcript-keys.ts';
import { trimmedText } from '../../src/rules/names.ts';
import { guideStepUpdate, type StepRef } from '../../workflows/changes/messages.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, body, StepParams } from '../http/views.ts';
import { assertRunAllowed } from './assert-run-allowed.ts';
import { getRunByName } from './run-view.ts';
import { RunView } from './schemas.ts';
import { assertNotFinished, getStep, updateRun, workflowIdFor } from './update-run.ts';

const route = createRoute({
  operationId: 'guideStep',
  method: 'post',
  path: '/v1/orgs/{org}/agentworkflowruns/{run}/steps/{step}/guide',
  tags: ['Changes'],
  summary: 'Guide a step',
  description:
    'Sends the text to the agent and resumes the step. Fails with 409 unless the step needs guidance, and with 429 when the org’s quota of runs in progress is reached.',
  ...requireRole('member'),
  request: {
    params: StepParams,
    body: body(z.strictObject({ text: trimmedText(20_000).describe('Guidance to the agent.') })),
  },
  responses: {
    200: jsonResponse('The updated run', RunView),
    ...problems(400, 401, 403, 404, 409, 413, 415, 422, 429),
  },
});

export function guideStep(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { step: name, ...ref } = c.req.valid('param');
    const run = await getRunByName(deps.store, ref);
    const step = getStep(run, name);
    assertNotFinished(run);
    if (step.phase !== 'NeedsGuidance')
      throw new ServiceError(
        'step-not-waiting',
        `The step "${name}" of run "${ref.run}" needs no guidance: its phase is ${step.phase}.`,
      );
    await assertRunAllowed(deps, ref.org, workflowIdFor(run, ref.org));
    // The update carries no text, so the text must be stored before the workflow receives the update.
    const by = c.get('caller').email;
    const turn = { uid: run.metadata.uid, step: name, turn: (step.turns ?? 0) + 1 };
    await deps.blobs.put(guidanceKey(turn, by), Buffer.from(c.req.valid('json').text));
    const decision: StepRef = { run: ref.run, step: name, by };
    const proof = deps.signDecision({ action: 'guideStep', scope: ref, decision });
    const update = () =>
      deps.temporal.workflow
        .getHandle(workflowIdFor(run, ref.org))
        .executeUpdate(guideStepUpdate, { args: [decision, proof] });
    const decides = { name, phase: 'NeedsGuidance' } as const;
    return c.json(await updateRun(c, deps, { ref, update, decides }), 200);
  });
}
