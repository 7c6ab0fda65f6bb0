import { createRoute } from '@hono/zod-openapi';
import { approvePromotionUpdate } from '../../workflows/environments/messages.ts';
import { findReleaseContributors } from './find-contributors.ts';
import { assertNoSelfApproval } from '../orgs/assert-no-self-approval.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, json, ReleaseZoneParams } from '../http/views.ts';
import { decidePromotion, getReleaseForZone, PromotionDecisionBody } from './decide-promotion.ts';
import { ReleaseView } from './schemas.ts';

const route = createRoute({
  operationId: 'approvePromotion',
  method: 'post',
  path: '/v1/orgs/{org}/releases/{name}/zones/{zone}/approve',
  tags: ['Releases'],
  summary: 'Approve a promotion',
  description:
    'Promotes the Release to the zone. Fails with 409 unless the promotion waits for approval, and with 403 if the org requires approval by a second person.',
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

export function approvePromotion(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const ref = c.req.valid('param');
    const release = await getReleaseForZone(deps.store, ref);
    await assertNoSelfApproval(deps.store, ref.org, {
      contributors: await findReleaseContributors(deps.store, ref.org, release),
      by: c.get('caller').email,
    });
    const { note } = c.req.valid('json');
    const decision = { ref, note, action: 'approvePromotion', update: approvePromotionUpdate } as const;
    return c.json(await decidePromotion(c, deps, release, decision), 200);
  });
}
