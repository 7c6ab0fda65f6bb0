import { createRoute } from '@hono/zod-openapi';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { paginate } from '../http/pagination.ts';
import { problems } from '../http/problem.ts';
import { decimal, jsonResponse, listSchema, PageQuery, StepParams } from '../http/views.ts';
import { listTurns, readTurn, TurnView } from './read-turns.ts';
import { getRunByName } from './run-view.ts';
import { getStep } from './update-run.ts';

const TranscriptQuery = PageQuery.extend({
  limit: decimal({ min: 1, max: 100 }).default(20).openapi({ description: 'Maximum number of turns.', default: 20 }),
  after: decimal({ min: 0, max: 1_000_000 })
    .default(0)
    .openapi({ description: 'Only turns with a higher number; the same for all pages.', default: 0 }),
});
const TranscriptView = listSchema(TurnView).openapi('Transcript');

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
    const { step: name, ...runRef } = c.req.valid('param');
    const run = await getRunByName(store, runRef);
    const ref = { uid: run.metadata.uid, step: getStep(run, name).name };
    const query = c.req.valid('query');
    const turns = (await listTurns(blobs, ref)).filter((turn) => turn > query.after);
    const page = paginate(c, turns, { toPosition: (turn) => [turn], query });
    const items = await Promise.all(page.items.map(async (turn) => await readTurn(blobs, { ...ref, turn })));
    return c.json({ ...page, items }, 200);
  });
}
