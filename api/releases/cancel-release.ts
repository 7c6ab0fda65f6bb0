import { createRoute } from '@hono/zod-openapi';
import { promoteReleaseId } from '../../src/rules/releases/promote-release-id.ts';
import { cancelReleaseUpdate } from '../../workflows/releases/messages.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { getViewer } from '../auth/viewer.ts';
import { problems } from '../http/problem.ts';
import { callWorkflow } from '../../src/integrations/temporal/call-workflow.ts';
import { jsonResponse, NamedParams } from '../http/views.ts';
import { getReleaseByName, assertNotFinished, buildReleaseView } from './release-view.ts';
import { ReleaseView } from './schemas.ts';

const route = createRoute({
  operationId: 'cancelRelease',
  method: 'post',
  path: '/v1/orgs/{org}/releases/{name}/cancel',
  tags: ['Releases'],
  summary: 'Cancel a Release',
  description:
    'Stops the Release. A promotion that has not been merged into the gitops repo stops, and the zone says what it still runs; one that was merged is deployed to its zone and goes no further. Fails with 409 if the Release has finished.',
  ...requireRole('member'),
  request: { params: NamedParams },
  responses: { 200: jsonResponse('The updated Release', ReleaseView), ...problems(401, 403, 404, 409) },
});

export function cancelRelease(app: App, { store, temporal, signDecision }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org, name } = c.req.valid('param');
    const release = await getReleaseByName(store, { org, name });
    assertNotFinished(release);
    const { product, commit } = release.spec;
    const scope = { org, product, commit };
    const decision = { by: c.get('caller').email };
    const proof = signDecision({ action: 'cancelRelease', scope, decision });
    await callWorkflow(temporal, () =>
      temporal.workflow
        .getHandle(promoteReleaseId(scope))
        .executeUpdate(cancelReleaseUpdate, { args: [decision, proof] }),
    );
    return c.json(await buildReleaseView(store, await getReleaseByName(store, { org, name }), getViewer(c, org)), 200);
  });
}
