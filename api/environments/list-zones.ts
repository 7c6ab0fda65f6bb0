import { createRoute } from '@hono/zod-openapi';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { answer, listSchema, ProductParams } from '../views.ts';
import { getProductOf } from '../catalog/product.ts';
import { ZoneView } from './schemas.ts';
import { zonesOf } from './zone.ts';

const route = createRoute({
  operationId: 'listZones',
  method: 'get',
  path: '/v1/orgs/{org}/products/{product}/zones',
  tags: ['Zones'],
  summary: 'List the zones of a Product as they run, in promotion order',
  ...needs('viewer'),
  request: { params: ProductParams },
  responses: { 200: answer('The zones', listSchema(ZoneView)), ...problems(401, 403, 404) },
});

export function listZones(app: App, { store, config }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org, product } = c.req.valid('param');
    const items = zonesOf(await getProductOf(store, { org, product }), { org, role: c.get('role'), config });
    return c.json({ items }, 200);
  });
}
