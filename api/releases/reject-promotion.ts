import { createRoute, z } from '@hono/zod-openapi';
import { notFound } from '../../src/errors.ts';
import { rejectPromotionUpdate, manageZoneId } from '../../workflows/environments/messages.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { getViewer } from '../auth/viewer.ts';
import { problems } from '../http/problem.ts';
import { callWorkflow } from '../../src/integrations/temporal/call-workflow.ts';
import { jsonResponse, json, ReleaseZoneParams } from '../http/views.ts';
import { getReleaseByName, assertNotFinished, buildReleaseView } from './release-view.ts';
import { ReleaseView } from './schemas.ts';

const route = createRoute({
  operationId: 'rejectPromotion',
  method: 'post',
  path: '/v1/orgs/{org}/releases/{name}/zones/{zone}/reject',
  tags: ['Releases'],
  summary: 'Reject a promotion',
  description: 'The Release is not promoted to the zone. Fails with 409 unless the promotion waits for approval.',
  ...requireRole('member'),
  request: {
    params: ReleaseZoneParams,
    body: {
      content: json(z.strictObject({ note: z.string().max(2000).optional().describe('Note about the decision.') })),
    },
  },
  responses: {
    200: jsonResponse('The updated Release', ReleaseView),
    ...problems(400, 401, 403, 404, 409, 413, 415, 422, 503),
  },
});

export function rejectPromotion(app: App, { store, temporal, signDecision }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org, name, zone } = c.req.valid('param');
    const { note } = c.req.valid('json');
    const release = await getReleaseByName(store, { org, name });
    if (!release.status?.zones.some((candidate) => candidate.name === zone))
      throw notFound('zone', zone, `Release "${name}"`);
    assertNotFinished(release);
    const decision = {
      release: name,
      by: c.get('caller').email,
      role: c.get('role') ?? 'member',
      ...(note !== undefined && { note }),
    };
    const scope = { org, product: release.spec.product, zone };
    const proof = signDecision({ action: 'rejectPromotion', scope, decision });
    await callWorkflow(temporal, () =>
      temporal.workflow
        .getHandle(manageZoneId(scope))
        .executeUpdate(rejectPromotionUpdate, { args: [decision, proof] }),
    );
    return c.json(await buildReleaseView(store, await getReleaseByName(store, { org, name }), getViewer(c, org)), 200);
  });
}
