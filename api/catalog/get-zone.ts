import { createRoute } from '@hono/zod-openapi';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { tagged } from '../read-page.ts';
import { answer, ZoneParams } from '../views.ts';
import { getProductOf } from './product.ts';
import { ZoneView } from './schemas.ts';
import { zoneOf } from './zone.ts';

const route = createRoute({
  operationId: 'getZone',
  method: 'get',
  path: '/v1/orgs/{org}/products/{product}/zones/{zone}',
  tags: ['Zones'],
  summary: 'Read a zone as it runs',
  ...needs('viewer'),
  request: { params: ZoneParams },
  responses: { 200: answer('The zone', ZoneView), ...problems(401, 403, 404) },
});

export function getZone(app: App, { store, config }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org, product, zone } = c.req.valid('param');
    const view = zoneOf(await getProductOf(store, { org, product }), zone, { org, role: c.get('role'), config });
    tagged(c, view.resourceVersion);
    return c.json(view, 200);
  });
}
