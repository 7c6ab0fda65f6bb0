import { createRoute, z } from '@hono/zod-openapi';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { answer, StepParams } from '../views.ts';
import { readTurns, TurnView } from './read-turns.ts';
import { getRunOf } from './run-view.ts';
import { stepOf } from './tell-run.ts';

const TranscriptQuery = z.strictObject({
  after: z.coerce.number().int().min(0).default(0).openapi({ description: 'Only turns after the one of this number.' }),
  limit: z.coerce.number().int().min(1).max(100).default(20).openapi({ description: 'How many at most.' }),
});
const TranscriptView = z
  .object({
    items: z.array(TurnView),
    continue: z.string().optional().openapi({ description: 'There are more turns: send it as `after`.' }),
  })
  .openapi('Transcript');

const route = createRoute({
  operationId: 'getTranscript',
  method: 'get',
  path: '/v1/orgs/{org}/agentworkflowruns/{run}/steps/{step}/transcript',
  tags: ['Changes'],
  summary: 'Read what an agent was told, said and did in a step, turn by turn',
  ...needs('viewer'),
  request: { params: StepParams, query: TranscriptQuery },
  responses: { 200: answer('The turns, in order', TranscriptView), ...problems(401, 403, 404, 422) },
});

export function getTranscript(app: App, { store, blobs }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { step: name, ...ref } = c.req.valid('param');
    const run = await getRunOf(store, ref);
    const step = stepOf(run, name).name;
    return c.json(await readTurns(blobs, { uid: run.metadata.uid, step }, c.req.valid('query')), 200);
  });
}
