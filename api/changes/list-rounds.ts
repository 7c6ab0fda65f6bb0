import { createRoute } from '@hono/zod-openapi';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, listSchema, RunParams } from '../http/views.ts';
import { readRounds, RoundView } from './read-rounds.ts';
import { getRunByName } from './run-view.ts';

const route = createRoute({
  operationId: 'listRounds',
  method: 'get',
  path: '/v1/orgs/{org}/agentworkflowruns/{run}/rounds',
  tags: ['Changes'],
  summary: 'List the rounds of a run',
  description:
    'Returns each time that an agent started to work on a step: at its start, after a review, with guidance, or for a conflict.',
  ...requireRole('viewer'),
  request: { params: RunParams },
  responses: {
    200: jsonResponse('The rounds, ordered by step, then by turn', listSchema(RoundView)),
    ...problems(401, 403, 404),
  },
});

export function listRounds(app: App, { store, blobs }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const run = await getRunByName(store, c.req.valid('param'));
    const steps = run.spec.steps.filter(({ type }) => type === 'agent').map(({ name }) => name);
    return c.json({ items: await readRounds(blobs, run.metadata.uid, steps) }, 200);
  });
}
