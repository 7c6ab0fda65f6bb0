import { createRoute, z } from '@hono/zod-openapi';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { decimal, jsonResponse, StepParams } from '../http/views.ts';
import { readTurns, TurnView } from './read-turns.ts';
import { getRunByName } from './run-view.ts';
import { getStep } from './update-run.ts';

const TranscriptQuery = z.strictObject({
  after: decimal({ min: 0, max: 1_000_000 })
    .default(0)
    .openapi({ description: 'Only turns with a higher number.', default: 0 }),
  limit: decimal({ min: 1, max: 100 }).default(20).openapi({ description: 'Maximum number of turns.', default: 20 }),
});
const TranscriptView = z
  .object({
    items: z.array(TurnView).describe('Turns, in order.'),
    continue: z
      .string()
      .optional()
      .openapi({ description: 'Present if there are more turns; send it as `after` to get them.' }),
  })
  .openapi('Transcript');

const route = createRoute({
  operationId: 'getTranscript',
  method: 'get',
  path: '/v1/orgs/{org}/agentworkflowruns/{run}/steps/{step}/transcript',
  tags: ['Changes'],
  summary: 'Get the transcript of a step',
  description: 'Returns the prompts, responses and tool calls of the agent, turn by turn. Long texts are truncated.',
  ...requireRole('viewer'),
  request: { params: StepParams, query: TranscriptQuery },
  responses: { 200: jsonResponse('The turns, in order', TranscriptView), ...problems(401, 403, 404, 422) },
});

export function getTranscript(app: App, { store, blobs }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { step: name, ...ref } = c.req.valid('param');
    const run = await getRunByName(store, ref);
    const step = getStep(run, name).name;
    return c.json(await readTurns(blobs, { uid: run.metadata.uid, step }, c.req.valid('query')), 200);
  });
}
