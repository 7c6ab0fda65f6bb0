import { createRoute, z } from '@hono/zod-openapi';
import { ServiceError } from '../../src/errors.ts';
import { guidanceKey } from '../../src/rules/agents/transcript-keys.ts';
import { guideStep as guide } from '../../workflows/changes/messages.ts';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { answer, body, StepParams } from '../views.ts';
import { getRunOf } from './run-view.ts';
import { RunView } from './schemas.ts';
import { refuseOver, stepOf, tellRun, workflowOf } from './tell-run.ts';

const route = createRoute({
  operationId: 'guideStep',
  method: 'post',
  path: '/v1/orgs/{org}/agentworkflowruns/{run}/steps/{step}/guide',
  tags: ['Changes'],
  summary: 'Tell an agent that needs guidance how to go on',
  ...needs('member'),
  request: { params: StepParams, body: body(z.strictObject({ text: z.string().trim().min(1).max(20_000) })) },
  responses: { 200: answer('The run after it', RunView), ...problems(400, 401, 403, 404, 409, 413, 415, 422, 503) },
});

export function guideStep(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { step: name, ...ref } = c.req.valid('param');
    const run = await getRunOf(deps.store, ref);
    const step = stepOf(run, name);
    refuseOver(run);
    if (step.phase !== 'NeedsGuidance')
      throw new ServiceError(
        'conflict',
        `The step "${name}" of run "${ref.run}" is ${step.phase}: it needs no guidance.`,
      );
    // The text first: the workflow is told only that it is there.
    await deps.blobs.put(
      guidanceKey(run.metadata.uid, { name, turns: step.turns ?? 0 }),
      Buffer.from(c.req.valid('json').text),
    );
    const pointer = { run: ref.run, step: name, by: c.get('caller').email };
    const tell = () =>
      deps.temporal.workflow.getHandle(workflowOf(run, ref.org)).executeUpdate(guide, { args: [pointer] });
    return c.json(await tellRun(c, deps, { ref, tell }), 200);
  });
}
