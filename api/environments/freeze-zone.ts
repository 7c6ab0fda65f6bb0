import { createRoute, z } from '@hono/zod-openapi';
import { invalid } from '../../src/errors.ts';
import { RequestTimestamp, titleText } from '../../src/rules/names.ts';
import { freezeZoneUpdate } from '../../workflows/environments/messages.ts';
import { getActiveProduct } from '../products/product.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, body, ZoneParams } from '../http/views.ts';
import { ZoneView } from './schemas.ts';
import { updateZone } from '../../src/reconcile/zone-workflow.ts';
import { getZoneView, getZoneSpec } from './zone.ts';

const FreezeBody = z.strictObject({
  reason: titleText(500).describe('Why the zone is frozen.'),
  until: RequestTimestamp.optional().openapi({
    description: 'Time at which the freeze ends. If omitted, the zone stays frozen until it is unfrozen.',
  }),
});

const route = createRoute({
  operationId: 'freezeZone',
  method: 'post',
  path: '/v1/orgs/{org}/products/{product}/zones/{zone}/freeze',
  tags: ['Zones'],
  summary: 'Freeze a zone',
  description: 'Promotions wait until the zone is unfrozen. Freezing a frozen zone replaces the freeze.',
  ...requireRole('member'),
  request: { params: ZoneParams, body: body(FreezeBody) },
  responses: {
    200: jsonResponse('The updated zone', ZoneView),
    ...problems(400, 401, 403, 404, 409, 413, 415, 422),
  },
});

export function freezeZone(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const ref = c.req.valid('param');
    const { reason, until } = c.req.valid('json');
    const now = deps.now();
    if (until !== undefined && Date.parse(until) <= now.getTime())
      throw invalid('The end of the freeze is in the past.', [{ pointer: '/until', detail: 'must be in the future' }]);
    getZoneSpec(await getActiveProduct(deps.store, ref), ref.zone);
    const freeze = {
      reason,
      by: c.get('caller').email,
      since: now.toISOString(),
      ...(until === undefined ? {} : { until }),
    };
    const proof = deps.signDecision({ action: 'freezeZone', scope: ref, decision: freeze });
    await updateZone(deps, ref, { update: freezeZoneUpdate, args: [freeze, proof] });
    return c.json(await getZoneView(c, deps, ref), 200);
  });
}
