import { createRoute } from '@hono/zod-openapi';
import { toScreenshotViews } from '../changes/artifact-view.ts';
import { ArtifactView } from '../changes/schemas.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, listSchema, NamedParams } from '../http/views.ts';
import { getReleaseByName } from './release-view.ts';

const route = createRoute({
  operationId: 'listReleaseArtifacts',
  method: 'get',
  path: '/v1/orgs/{org}/releases/{name}/artifacts',
  tags: ['Releases'],
  summary: 'List the screenshots of a Release',
  description: 'Returns one screenshot per zone that the Release was promoted to.',
  ...requireRole('viewer'),
  request: { params: NamedParams },
  responses: {
    200: jsonResponse('The screenshots, ordered by zone', listSchema(ArtifactView)),
    ...problems(401, 403, 404),
  },
});

export function listReleaseArtifacts(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const ref = c.req.valid('param');
    return c.json({ items: toScreenshotViews(ref.org, await getReleaseByName(store, ref)) }, 200);
  });
}
