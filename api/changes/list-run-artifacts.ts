import { createRoute } from '@hono/zod-openapi';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, listSchema, RunParams } from '../http/views.ts';
import { toArtifactView, toScreenshotViews } from './artifact-view.ts';
import { getRunByName, listRunReleases } from './run-view.ts';
import { ArtifactView } from './schemas.ts';

const route = createRoute({
  operationId: 'listRunArtifacts',
  method: 'get',
  path: '/v1/orgs/{org}/agentworkflowruns/{run}/artifacts',
  tags: ['Changes'],
  summary: 'List the artifacts of a run',
  description: 'Returns the evidence files of its steps and the screenshots of its Releases.',
  ...requireRole('viewer'),
  request: { params: RunParams },
  responses: {
    200: jsonResponse('The artifacts, ordered by step, then by zone', listSchema(ArtifactView)),
    ...problems(401, 403, 404),
  },
});

export function listRunArtifacts(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const ref = c.req.valid('param');
    const run = await getRunByName(store, ref);
    const evidenceFiles = (run.status?.steps ?? []).flatMap(({ name: step, evidence = [] }) =>
      evidence.map((file) => toArtifactView(ref.org, file, { step })),
    );
    const screenshots = (await listRunReleases(store, run)).flatMap((release) => toScreenshotViews(ref.org, release));
    return c.json({ items: [...evidenceFiles, ...screenshots] }, 200);
  });
}
