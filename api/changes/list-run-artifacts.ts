import { createRoute } from '@hono/zod-openapi';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { answer, listSchema, RunParams } from '../views.ts';
import { artifactView, screenshotsOf } from './artifacts.ts';
import { getRunOf, releasesOf } from './run-view.ts';
import { ArtifactView } from './schemas.ts';

const route = createRoute({
  operationId: 'listRunArtifacts',
  method: 'get',
  path: '/v1/orgs/{org}/agentworkflowruns/{run}/artifacts',
  tags: ['Changes'],
  summary: 'List the evidence files of a run’s steps and the pictures of its Releases in their zones',
  ...needs('viewer'),
  request: { params: RunParams },
  responses: {
    200: answer('The files, step by step, then zone by zone', listSchema(ArtifactView)),
    ...problems(401, 403, 404),
  },
});

export function listRunArtifacts(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const ref = c.req.valid('param');
    const run = await getRunOf(store, ref);
    const ofSteps = (run.status?.steps ?? []).flatMap(({ name: step, evidence = [] }) =>
      evidence.map((file) => artifactView(ref.org, file, { step })),
    );
    const ofZones = (await releasesOf(store, run)).flatMap((release) => screenshotsOf(ref.org, release));
    return c.json({ items: [...ofSteps, ...ofZones] }, 200);
  });
}
