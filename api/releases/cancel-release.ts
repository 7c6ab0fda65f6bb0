import { createRoute } from '@hono/zod-openapi';
import { workflowIdAnnotation } from '../../src/rules/changes/run-names.ts';
import { cancelRelease as cancel, promoteReleaseId } from '../../workflows/releases/messages.ts';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { speaking } from '../temporal.ts';
import { answer, NamedParams } from '../views.ts';
import { getReleaseOf, refuseOver, releaseView } from './release-view.ts';
import { ReleaseView } from './schemas.ts';

const route = createRoute({
  operationId: 'cancelRelease',
  method: 'post',
  path: '/v1/orgs/{org}/releases/{name}/cancel',
  tags: ['Releases'],
  summary: 'Cancel a Release before its next zone',
  ...needs('member'),
  request: { params: NamedParams },
  responses: { 200: answer('The Release after it', ReleaseView), ...problems(401, 403, 404, 409, 503) },
});

export function cancelRelease(app: App, { store, temporal }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org, name } = c.req.valid('param');
    const release = await getReleaseOf(store, { org, name });
    refuseOver(release);
    const workflowId =
      release.metadata.annotations?.[workflowIdAnnotation] ?? promoteReleaseId({ ...release.spec, org });
    const by = c.get('caller').email;
    await speaking(temporal, () => temporal.workflow.getHandle(workflowId).executeUpdate(cancel, { args: [{ by }] }));
    return c.json(releaseView(await getReleaseOf(store, { org, name }), c.get('role')), 200);
  });
}
