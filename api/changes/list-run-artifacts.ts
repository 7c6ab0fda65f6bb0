import { createRoute } from '@hono/zod-openapi';
import { artifactId } from '../../src/rules/changes/evidence.ts';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { answer, listSchema, RunParams } from '../views.ts';
import { getRunOf } from './run-view.ts';
import { ArtifactView } from './schemas.ts';

const route = createRoute({
  operationId: 'listRunArtifacts',
  method: 'get',
  path: '/v1/orgs/{org}/agentworkflowruns/{run}/artifacts',
  tags: ['Changes'],
  summary: 'List the evidence files of a run’s steps',
  ...needs('viewer'),
  request: { params: RunParams },
  responses: { 200: answer('The files, step by step', listSchema(ArtifactView)), ...problems(401, 403, 404) },
});

export function listRunArtifacts(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const ref = c.req.valid('param');
    const { status } = await getRunOf(store, ref);
    const items = (status?.steps ?? []).flatMap(({ name: step, evidence = [] }) =>
      evidence.map(({ artifact, ...file }) => {
        const id = artifactId(artifact);
        return { id, artifact, step, ...file, url: `/api/v1/orgs/${ref.org}/artifacts/${id}` };
      }),
    );
    return c.json({ items }, 200);
  });
}
