import { createRoute } from '@hono/zod-openapi';
import { rejectPromotionUpdate } from '../../workflows/environments/messages.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, json, ReleaseZoneParams } from '../http/views.ts';
import { decidePromotion, getReleaseForZone, PromotionDecisionBody } from './decide-promotion.ts';
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
    body: { content: json(PromotionDecisionBody) },
  },
  responses: {
    200: jsonResponse('The updated Release', ReleaseView),
    ...problems(400, 401, 403, 404, 409, 413, 415, 422),
  },
});

export function rejectPromotion(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { note } = c.req.valid('json');
    const ref = c.req.valid('param');
    const release = await getReleaseForZone(deps.store, ref);
    const decision = { ref, note, action: 'rejectPromotion', update: rejectPromotionUpdate } as const;
    return c.json(await decidePromotion(c, deps, release, decision), 200);
  });
}
