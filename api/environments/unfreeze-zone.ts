import { createRoute } from '@hono/zod-openapi';
import { unfreezeZoneUpdate } from '../../workflows/environments/messages.ts';
import { getActiveProduct } from '../products/product.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, ZoneParams } from '../http/views.ts';
import { ZoneView } from './schemas.ts';
import { updateZone } from '../../src/reconcile/zone-workflow.ts';
import { getZoneView, getZoneSpec } from './zone.ts';

const route = createRoute({
  operationId: 'unfreezeZone',
  method: 'post',
  path: '/v1/orgs/{org}/products/{product}/zones/{zone}/unfreeze',
  tags: ['Zones'],
  summary: 'Unfreeze a zone',
  description: 'Resumes promotions to the zone.',
  ...requireRole('member'),
  request: { params: ZoneParams },
  responses: { 200: jsonResponse('The updated zone', ZoneView), ...problems(401, 403, 404, 409) },
});

export function unfreezeZone(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const ref = c.req.valid('param');
    getZoneSpec(await getActiveProduct(deps.store, ref), ref.zone);
    const decision = { by: c.get('caller').email };
    const proof = deps.signDecision({ action: 'unfreezeZone', scope: ref, decision });
    await updateZone(deps, ref, { update: unfreezeZoneUpdate, args: [decision, proof] });
    return c.json(await getZoneView(c, deps, ref), 200);
  });
}
