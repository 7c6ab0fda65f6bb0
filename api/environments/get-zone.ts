import { createRoute } from '@hono/zod-openapi';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, ZoneParams } from '../http/views.ts';
import { ZoneDetailsView } from './schemas.ts';
import { getZoneDetails } from './zone-details.ts';
import { getZoneView } from './zone.ts';

const route = createRoute({
  operationId: 'getZone',
  method: 'get',
  path: '/v1/orgs/{org}/products/{product}/zones/{zone}',
  tags: ['Zones'],
  summary: 'Get a zone',
  description: 'Returns the zone with its pods, volumes, events and resources.',
  ...requireRole('viewer'),
  request: { params: ZoneParams },
  responses: { 200: jsonResponse('The zone', ZoneDetailsView), ...problems(401, 403, 404) },
});

export function getZone(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const view = await getZoneView(c, deps, c.req.valid('param'));
    return c.json({ ...view, ...(await getZoneDetails(deps, view)) }, 200);
  });
}
