import { createRoute } from '@hono/zod-openapi';
import { screenshotsOf } from '../changes/artifacts.ts';
import { ArtifactView } from '../changes/schemas.ts';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { answer, listSchema, NamedParams } from '../views.ts';
import { getReleaseOf } from './release-view.ts';

const route = createRoute({
  operationId: 'listReleaseArtifacts',
  method: 'get',
  path: '/v1/orgs/{org}/releases/{name}/artifacts',
  tags: ['Releases'],
  summary: 'List the pictures of a Release in its zones',
  ...needs('viewer'),
  request: { params: NamedParams },
  responses: { 200: answer('The pictures, zone by zone', listSchema(ArtifactView)), ...problems(401, 403, 404) },
});

export function listReleaseArtifacts(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const ref = c.req.valid('param');
    return c.json({ items: screenshotsOf(ref.org, await getReleaseOf(store, ref)) }, 200);
  });
}
