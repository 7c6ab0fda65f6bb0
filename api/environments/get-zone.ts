import { createRoute } from '@hono/zod-openapi';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { answer, ZoneParams } from '../views.ts';
import { ZoneDetailsView } from './schemas.ts';
import { zoneDetails } from './zone-details.ts';
import { readZone } from './zone.ts';

const route = createRoute({
  operationId: 'getZone',
  method: 'get',
  path: '/v1/orgs/{org}/products/{product}/zones/{zone}',
  tags: ['Zones'],
  summary: 'Read a zone as it runs: its pods, volumes, events and reservations',
  ...needs('viewer'),
  request: { params: ZoneParams },
  responses: { 200: answer('The zone', ZoneDetailsView), ...problems(401, 403, 404) },
});

export function getZone(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const view = await readZone(c, deps, c.req.valid('param'));
    return c.json({ ...view, ...(await zoneDetails(deps.store, view)) }, 200);
  });
}
